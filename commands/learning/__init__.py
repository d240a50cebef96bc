"""Commands that train networks and make what they learn from."""

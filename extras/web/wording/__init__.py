"""What the pages say of agents and of values, in words."""

"""What environments share: what they show, and how they render."""

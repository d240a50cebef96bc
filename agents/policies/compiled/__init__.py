"""Networks of policy files as machine code: one kernel that evaluates any of them."""

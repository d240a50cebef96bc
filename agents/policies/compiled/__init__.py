"""Networks of policy files as machine code: one kernel that evaluates all of them."""

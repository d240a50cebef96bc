"""The Gomocup protocol, both ways: plyground as an engine, and other engines as agents."""

"""The Gomocup protocol, both ways: plyground as an engine, engines of others as agents."""

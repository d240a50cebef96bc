"""What importing plyground does before any game is loaded: exports on demand, registered ids."""

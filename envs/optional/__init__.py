"""What a game may say of itself beside what it must, and what holds where it says nothing."""

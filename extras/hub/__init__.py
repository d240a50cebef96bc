"""Policies of the Hugging Face Hub."""

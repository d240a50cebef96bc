"""Third-party bots as agents; environments and datasets for other libraries."""

"""What is fetched next, and what is not."""

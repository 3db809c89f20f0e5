"""What a report says, its charts, and the page."""

"""What users see, frozen in files: `python -m tests.surface` writes them anew."""

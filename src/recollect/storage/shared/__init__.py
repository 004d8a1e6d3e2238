"""What the two stores have in common, told once over a `Session`. What a method does, its port says."""

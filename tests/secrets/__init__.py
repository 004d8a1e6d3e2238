# ruff: noqa: A005 -- imported as tests.secrets only

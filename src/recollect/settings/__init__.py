"""Settings: one frozen value, from defaults, a configuration file, the environment and arguments.

    declare    a setting is a dataclass field with a kind and a help text; everything else follows from it
    kinds      what a value may be
    database   where memories are kept, and how to show that without a password
    model      the settings themselves; those of recall, of turns, of embedding and so on stand beside it
    files, sources, unknown_names, load    reading them
    reference  the table in the documentation

Every command starts here, so importing this must stay cheap: nothing but the standard library, and named tuples where
only this package builds the record, because creating a dataclass takes five times as long.
"""

from recollect.settings.database import data_folder, hide_password
from recollect.settings.embedding import PROVIDERS, EmbeddingProvider, EmbeddingSettings
from recollect.settings.filing import FileSettings
from recollect.settings.key_file import admin_key_file, secret_key_file
from recollect.settings.load import load_settings
from recollect.settings.model import (
    ForgetSettings,
    PostgresSettings,
    SettingRow,
    Settings,
    SqliteSettings,
)
from recollect.settings.recall import RecallSettings
from recollect.settings.reference import settings_table
from recollect.settings.reranking import RerankSettings
from recollect.settings.serve import BackupSettings, FederationSettings, LimitSettings, ServeSettings

__all__ = [
    "PROVIDERS",
    "BackupSettings",
    "EmbeddingProvider",
    "EmbeddingSettings",
    "FederationSettings",
    "FileSettings",
    "ForgetSettings",
    "LimitSettings",
    "PostgresSettings",
    "RecallSettings",
    "RerankSettings",
    "ServeSettings",
    "SettingRow",
    "Settings",
    "SqliteSettings",
    "admin_key_file",
    "data_folder",
    "hide_password",
    "load_settings",
    "secret_key_file",
    "settings_table",
]

"""Settings: one frozen value, from defaults, a configuration file, the environment and arguments.

    kinds     what a value may be
    declare   a setting is a dataclass field with a kind and a help text; everything else follows from it
    database  where memories are kept, and how to show that without a password
    sections  the settings of recall, of turns, of embedding and so on; model puts them together
    load      reading them

Every command starts here, so importing this must stay cheap: nothing but the standard library, and named tuples where
only this package builds the record, because creating a dataclass takes five times as long.
"""

from recollect.settings.database import data_folder, hide_password
from recollect.settings.load import load_settings
from recollect.settings.model import (
    ForgetSettings,
    PostgresSettings,
    SettingRow,
    Settings,
    SqliteSettings,
    admin_key_file,
    secret_key_file,
    settings_table,
)
from recollect.settings.sections import (
    PROVIDERS,
    BackupSettings,
    EmbeddingProvider,
    EmbeddingSettings,
    FederationSettings,
    FileSettings,
    LimitSettings,
    RecallSettings,
    RerankSettings,
    ServeSettings,
)

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

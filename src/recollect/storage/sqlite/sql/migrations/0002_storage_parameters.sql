-- Marks the file in its header as one of Recollect's ('RCLT'), so that file(1) and backup programs can tell it apart.
PRAGMA application_id = 1380142164;

-- What `doctor` looks for. Each query counts what should not exist; the comment under its name is what to do.
-- A check with {space} runs once for every embedding space.

-- jobs_without_row --
-- The queue holds work for rows that are gone; a worker drops it. Please report how this came about.
SELECT count(*) FROM jobs j
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = j.user_id AND m.id = j.item_id)
   AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = j.user_id AND m.id = j.item_id)
   AND NOT EXISTS (SELECT 1 FROM chunks m WHERE m.user_id = j.user_id AND m.id = j.item_id)
   AND NOT EXISTS (SELECT 1 FROM places m WHERE m.user_id = j.user_id AND m.id = j.item_id)

-- messages_given_up_on --
-- These messages could not be read after several tries. Run `recollect worker --retry-parked` to try again.
SELECT count(*) FROM jobs WHERE kind = 'read' AND due_at IS NULL

-- versions_of_nothing --
-- These old versions have lost their successor; no search shows them. Forget them by id, or restore a backup.
SELECT count(*) FROM memories m
 WHERE m.superseded_by IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.user_id = m.user_id AND n.id = m.superseded_by)

-- wrong_counts --
-- The figures of a user do not match the rows. Search still works; please report how this came about.
SELECT count(*) FROM users u
 WHERE u.memories <> (SELECT count(*) FROM memories m WHERE m.user_id = u.user_id)
    OR u.messages <> (SELECT count(*) FROM messages m WHERE m.user_id = u.user_id)
    OR u.chunks <> (SELECT count(*) FROM chunks m WHERE m.user_id = u.user_id)
    OR u.bytes <> (SELECT coalesce(sum(octet_length(m.content) + octet_length(m.value) + octet_length(CAST(m.media AS text)) - 2), 0)
                     FROM memories m WHERE m.user_id = u.user_id)
                + (SELECT coalesce(sum(octet_length(m.content) + octet_length(CAST(m.blocks AS text))
                                     + octet_length(CAST(m.media AS text)) - 2), 0)
                     FROM messages m WHERE m.user_id = u.user_id)
                + (SELECT coalesce(sum(octet_length(m.content)), 0) FROM chunks m WHERE m.user_id = u.user_id)

-- messages_without_conversation --
-- These messages belong to no conversation: no window shows them, but search finds them. Please report how this came about.
SELECT count(*) FROM messages m
 WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.user_id = m.user_id AND c.id = m.conversation_id)

-- derivations_of_nothing --
-- Some notes say what items were made from that are gone; they do no harm. Please report how this came about.
SELECT count(*) FROM derivations d
 WHERE (NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = d.user_id AND m.id = d.made_id)
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = d.user_id AND m.id = d.made_id))
    OR (NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = d.user_id AND m.id = d.source_id)
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = d.user_id AND m.id = d.source_id))

-- folded_without_summary --
-- These messages are marked as folded, but no summary was made from them. Search finds them; please report how this came about.
SELECT count(*) FROM messages m
 WHERE m.status = 'compacted'
   AND NOT EXISTS (SELECT 1 FROM derivations d WHERE d.user_id = m.user_id AND d.source_id = m.id)

-- chunks_without_file --
-- These chunks have lost their file; searches leave them out. Please report how this came about.
SELECT count(*) FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.user_id = c.user_id AND f.id = c.file_id)

-- files_with_wrong_counts --
-- These files have more or fewer chunks than was noted. Sync them again; please report how this came about.
SELECT count(*) FROM files f
 WHERE f.chunks <> (SELECT count(*) FROM chunks c WHERE c.user_id = f.user_id AND c.file_id = f.id)

-- originals_without_item --
-- Some originals are noted for memories or messages that are gone, and stay on the disk. Please report how this came about.
SELECT count(*) FROM media_originals o
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = o.user_id AND m.id = o.item_id)
   AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = o.user_id AND m.id = o.item_id)

-- places_without_anything --
-- These names belong to places at which nothing is; they do no harm. Please report how this came about.
SELECT count(*) FROM places p
 WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = p.user_id AND m.place = p.id)
   AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.user_id = p.user_id AND m.place = p.id)

-- places_without_name --
-- These rows are not found by what their place is called. Run `recollect maintain`.
SELECT (SELECT count(*) FROM memories m WHERE (m.address <> '' OR m.place_label <> '')
           AND NOT EXISTS (SELECT 1 FROM places p WHERE p.user_id = m.user_id AND p.id = m.place))
     + (SELECT count(*) FROM messages m WHERE (m.address <> '' OR m.place_label <> '')
           AND NOT EXISTS (SELECT 1 FROM places p WHERE p.user_id = m.user_id AND p.id = m.place))

-- What only SQLite does: terms in FTS5, vectors as blobs beside one-bit codes, numbers given out by hand.
-- Batches travel as arrays and as one blob of equal slices, so that a batch is one step of the database. A CROSS JOIN
-- fixes the order: the few rows that are wanted first, never all rows of a user.

-- insert_memory --
-- The unique index decides what is a duplicate, also when several processes write at once.
INSERT INTO memories (
    seq, user_id, content_hash, terms, place,
    id, type, content, subject, key, value, context, importance, confidence, source, trust, session_id,
    occurred_at, valid_from, valid_until, superseded_by, expires_at, lat, lng, address, place_label, metadata,
    created_at, updated_at, media)
VALUES (
    :seq, :user_id, :content_hash, :terms, :place,
    :id, :type, :content, :subject, :key, :value, :context, :importance, :confidence, :source, :trust, :session,
    :occurred_at, :valid_from, :valid_until, :superseded_by, :expires_at, :lat, :lng, :address, :place_label, :metadata,
    :created_at, :updated_at, :media)
    ON CONFLICT DO NOTHING

-- insert_message --
-- A message; the unique index knows it when its host delivers it again.
INSERT INTO messages (
    seq, user_id, learned, terms, place,
    id, conversation_id, external_id, sequence, role, speaker, content, blocks, tool_calls, tool_call_id, tokens, status,
    trust, model, input_tokens, output_tokens, thinking_tokens, feedback, metadata, said_at, created_at,
    lat, lng, address, place_label, media)
VALUES (
    :seq, :user_id, false, :terms, :place,
    :id, :conversation, :external_id, :sequence, :role, :speaker, :content, :blocks, :tool_calls, :tool_call_id, :tokens,
    :status, :trust, :model, :input_tokens, :output_tokens, :thinking_tokens, :feedback, :metadata, :said_at, :created_at,
    :lat, :lng, :address, :place_label, :media)

-- insert_chunk --
-- A piece of a file.
INSERT INTO chunks (
    seq, user_id, id, file_id, content, heading, content_hash, start_line, end_line, start_column, role, trust, dated_at,
    created_at, terms)
VALUES (
    :seq, :user_id, :id, :file_id, :content, :heading, :content_hash, :start_line, :end_line, :start_column, :role, :trust,
    :dated_at, :created_at, :terms)

-- insert_place --
-- The name of a place, once.
INSERT INTO places (seq, user_id, id, address, place_label, created_at)
VALUES (:seq, :user_id, :id, :address, :place_label, :created_at)

-- next_numbers --
-- Gives out a run of numbers that were never used before.
UPDATE sequence SET value = value + :amount WHERE name = :name RETURNING value

-- written_numbers --
-- Which rows of a batch the unique index let in.
SELECT seq FROM memories WHERE seq BETWEEN :first AND :last

-- item_numbers --
-- From ids to physical addresses.
SELECT m.seq, m.id
  FROM carray(:ids) wanted CROSS JOIN {rows} m ON m.user_id = :user_id AND m.id = wanted.value

-- memories_with_words --
-- The live rows that have the words of any of several hashes: those of just that hash, and of the others the first few, for an
-- event may have happened very often. The order of the joins is given: statistics from when the store was small say that
-- reading all rows costs nothing.
SELECT {record}, content_hash
  FROM (SELECT found.value AS chosen
          FROM carray(:hashes) wanted
               CROSS JOIN json_each((SELECT json_group_array(seq)
                                       FROM (SELECT seq FROM memories
                                              WHERE user_id = :user_id AND content_hash >= substr(wanted.value, 1, 32)
                                                AND content_hash < substr(wanted.value, 1, 32) || 'g'
                                                AND superseded_by IS NULL
                                              ORDER BY content_hash
                                              LIMIT :limit))) found
         UNION
        SELECT seq
          FROM carray(:hashes) wanted
               CROSS JOIN memories ON user_id = :user_id AND content_hash = wanted.value AND superseded_by IS NULL)
       CROSS JOIN memories ON seq = chosen

-- insert_terms --
-- Indexes the words of a batch.
INSERT INTO {words} (rowid, user_token, terms)
SELECT m.seq, hex(m.user_id), m.terms FROM carray(:seqs) wanted CROSS JOIN {rows} m ON m.seq = wanted.value

-- delete_terms --
-- FTS5 erases them from its index at once ('secure-delete'), while the rows are still there to say what they were.
INSERT INTO {words} ({words}, rowid, user_token, terms)
SELECT 'delete', m.seq, hex(m.user_id), m.terms
  FROM carray(:seqs) wanted CROSS JOIN {rows} m ON m.seq = wanted.value
 WHERE m.user_id = :user_id

-- count_rows --
-- Of all users, as far as it matters.
SELECT count(*) AS amount FROM (SELECT 1 FROM {rows} LIMIT :limit)

-- delete_all_terms --
-- Nothing stays in the index, which then needs not be asked for each word.
INSERT INTO {words} ({words}) VALUES ('delete-all')

-- erase_at_leisure --
-- To take many texts out of the index one word after the other takes long; marked as gone, they go with the next merge.
INSERT INTO {words} ({words}, rank) VALUES ('secure-delete', 0)

-- erase_at_once --
-- As it was made to do.
INSERT INTO {words} ({words}, rank) VALUES ('secure-delete', 1)

-- insert_vectors --
-- Equal slices of one blob.
INSERT OR REPLACE INTO vectors_{space} (seq, user_id, vector)
SELECT value, :user_id, substr(:slices, (rowid - 1) * :width + 1, :width) FROM carray(:seqs)

-- insert_codes --
-- Equal slices of one blob.
INSERT OR REPLACE INTO codes_{space} (user_id, seq, code)
SELECT :user_id, value, substr(:slices, (rowid - 1) * :width + 1, :width) FROM carray(:seqs)

-- copy_vector --
-- A revision whose text is unchanged keeps its vectors.
INSERT INTO vectors_{space} (seq, user_id, vector)
SELECT CASE WHEN seq > 0 THEN :to_seq ELSE seq + 256 * (:from_seq - :to_seq) END, user_id, vector
  FROM vectors_{space}
 WHERE (seq = :from_seq OR seq BETWEEN -256 * :from_seq - 255 AND -256 * :from_seq - 1) AND user_id = :user_id

-- copy_code --
-- The same for their codes.
INSERT INTO codes_{space} (user_id, seq, code)
SELECT user_id, CASE WHEN seq > 0 THEN :to_seq ELSE seq + 256 * (:from_seq - :to_seq) END, code
  FROM codes_{space}
 WHERE (seq = :from_seq OR seq BETWEEN -256 * :from_seq - 255 AND -256 * :from_seq - 1) AND user_id = :user_id

-- delete_vectors --
-- With the row go its vectors.
DELETE FROM vectors_{space}
 WHERE user_id = :user_id
   AND seq IN (SELECT value FROM carray(:seqs)
                UNION ALL
               SELECT v.seq FROM carray(:seqs) gone CROSS JOIN vectors_{space} v
                   ON v.seq BETWEEN -256 * gone.value - 255 AND -256 * gone.value - 1)

-- delete_codes --
-- And their codes.
DELETE FROM codes_{space}
 WHERE user_id = :user_id
   AND seq IN (SELECT value FROM carray(:seqs)
                UNION ALL
               SELECT c.seq FROM carray(:seqs) gone CROSS JOIN codes_{space} c
                   ON c.user_id = :user_id AND c.seq BETWEEN -256 * gone.value - 255 AND -256 * gone.value - 1)

-- has_passages --
-- Whether any of the user's items has vectors of passages.
SELECT EXISTS (SELECT 1 FROM codes_{space} WHERE user_id = :user_id AND seq < 0) AS has

-- load_codes --
-- What is new since the last look: of items, and of their passages.
SELECT seq, code FROM codes_{space} WHERE user_id = :user_id AND seq > :after
 UNION ALL
SELECT seq, code FROM codes_{space} WHERE user_id = :user_id AND seq < -256 * (:after + 1)

-- list_codes --
-- The numbers of all codes of the user, as one text, which takes a fifth of the time of as many rows.
SELECT group_concat(seq) AS seqs FROM codes_{space} WHERE user_id = :user_id

-- late_vectors --
-- Grows when a vector comes after its row: then a code has come whose number may not be the newest.
SELECT late FROM users WHERE user_id = :user_id

-- note_late --
-- Says so.
UPDATE users SET late = late + 1 WHERE user_id = :user_id

-- whole_user --
-- All there is to search of a user who has few rows, and when each of them ends.
SELECT id, terms, vector,
       min(coalesce(expires_at, valid_until), coalesce(valid_until, expires_at)) AS ends_at
  FROM memories LEFT JOIN vectors_{space} v ON v.seq = memories.seq AND v.user_id = memories.user_id
 WHERE memories.user_id = :user_id AND {filters}

-- whole_user_passages --
-- The vectors of the passages of such rows.
SELECT id, vector
  FROM memories CROSS JOIN vectors_{space} v
    ON v.seq BETWEEN -256 * memories.seq - 255 AND -256 * memories.seq - 1 AND v.user_id = memories.user_id
 WHERE memories.user_id = :user_id AND {filters}

-- item_passages --
-- The floats of the passages of items.
SELECT m.id, v.vector
  FROM carray(:ids) wanted
 CROSS JOIN {rows} m ON m.user_id = :user_id AND m.id = wanted.value
 CROSS JOIN vectors_{space} v ON v.seq BETWEEN -256 * m.seq - 255 AND -256 * m.seq - 1 AND v.user_id = :user_id

-- fetch_vectors --
-- The floats of a few rows, for exact scores.
SELECT v.seq, v.vector
  FROM carray(:seqs) wanted CROSS JOIN vectors_{space} v ON v.seq = wanted.value
 WHERE v.user_id = :user_id

-- inside --
-- What passes, if it is not much: inside a circle, at some places, in a short time.
SELECT seq, id, terms FROM {rows} WHERE user_id = :user_id AND {filters} LIMIT :limit

-- passing_numbers --
-- Which of these rows may be returned.
SELECT seq, id
  FROM carray(:seqs) wanted CROSS JOIN {rows} ON seq = wanted.value
 WHERE user_id = :user_id AND {filters}

-- all_passing_numbers --
-- Every row that may be returned, when the nearest ones may not.
SELECT seq FROM {rows} WHERE user_id = :user_id AND {filters}

-- newest_matching --
-- The newest rows that match, as one text.
SELECT group_concat(seq) AS seqs
  FROM (SELECT rowid AS seq
          FROM {words}
         WHERE {words} MATCH
               iif(EXISTS (SELECT 1 FROM users WHERE user_id <> :user_id), 'user_token:"' || hex(:user_id) || '" AND ', '')
               || 'terms:(' || :terms || ')'
         ORDER BY rowid DESC
         LIMIT :limit)

-- sampled_frequency --
-- How many rows hold a term in some stretches of numbers.
SELECT count(*) AS frequency
  FROM carray(:starts) s
 CROSS JOIN {words} w
 WHERE w.{words} MATCH
       iif(EXISTS (SELECT 1 FROM users WHERE user_id <> :user_id), 'user_token:"' || hex(:user_id) || '" AND ', '')
       || 'terms:(' || :terms || ')'
   AND w.rowid >= s.value AND w.rowid < s.value + :length

-- span_of_words --
-- Between which numbers the user's rows are.
SELECT (SELECT rowid FROM {words} WHERE {words} MATCH 'user_token:"' || hex(:user_id) || '"' ORDER BY rowid LIMIT 1) AS first,
       (SELECT rowid FROM {words} WHERE {words} MATCH 'user_token:"' || hex(:user_id) || '"' ORDER BY rowid DESC LIMIT 1) AS last

-- known_candidates --
-- Such rows, if they pass.
SELECT seq, id, terms
  FROM carray(:seqs) wanted CROSS JOIN {rows} ON seq = wanted.value
 WHERE user_id = :user_id AND {filters}

-- count_vectors --
-- How many of the user's rows have a vector.
SELECT count(*) AS vectors FROM codes_{space} WHERE user_id = :user_id AND seq > 0

-- count_codes --
-- How many vectors the user's rows have, those of passages too.
SELECT count(*) AS codes FROM codes_{space} WHERE user_id = :user_id

-- count_all_vectors --
-- How many rows have a vector.
SELECT count(*) AS vectors FROM codes_{space} WHERE seq > 0

-- merge_terms --
-- Makes one piece of the many that writing leaves in the index of terms.
INSERT INTO {words} ({words}) VALUES ('optimize')

-- next_slice --
-- Where a run of rows ends: they are looked through slice by slice, so that other writers get their turn.
SELECT max(seq) AS last FROM (SELECT seq FROM {rows} WHERE seq > :after ORDER BY seq LIMIT :limit)

-- owe_jobs --
-- What lacks both a vector in a space, or one of its passages, and the work to get one is owed it.
INSERT INTO jobs (user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, reason, created_at)
SELECT m.user_id, 'embed', :item_kind, m.id, {space}, 0, :now, NULL, '', :now
  FROM {rows} m
 WHERE m.seq > :after AND m.seq <= :last
   AND EXISTS (SELECT 1 FROM embedding_spaces s WHERE s.number = {space} AND s.state <> 'kept')
   AND (NOT EXISTS (SELECT 1 FROM vectors_{space} v WHERE v.seq = m.seq)
        OR m.seq IN (SELECT -seq / 256 AS item FROM vectors_{space}
                      WHERE seq BETWEEN -256 * :last - 255 AND -256 * :after - 257
                      GROUP BY item HAVING max(-seq % 256) <> count(*)))
   AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.user_id = m.user_id AND j.item_id = m.id AND j.space = {space})

-- drop_vectors --
-- Drops the vectors of a space.
DROP TABLE vectors_{space}

-- drop_codes --
-- And its codes.
DROP TABLE codes_{space}

-- insert_changes --
-- Items that are new, in their order.
INSERT INTO changes (user_id, number, what, item_kind, item_id, changed_at)
SELECT :user_id, :before + c.rowid, :what, :item_kind, c.value, :now FROM carray(:ids) c

-- claim_jobs --
-- Takes jobs of a space that are due and not leased, those of one user or of all, for this or for a batch.
UPDATE jobs
   SET lease_until = :lease_until, bulk = :bulk
 WHERE rowid IN (
       SELECT rowid FROM jobs
        WHERE space = :space AND due_at <= :now AND (lease_until IS NULL OR lease_until <= :now) AND bulk = ''
          AND (:only_user = '' OR user_id = :only_user)
        ORDER BY due_at, item_id
        LIMIT :limit)
RETURNING user_id, item_id, item_kind, attempts

-- claim_readings --
-- Takes messages that are due to be read, the oldest first. A user of whom another worker has some, or of whom one is
-- tried again later, is left out: what was said first is read first.
UPDATE jobs
   SET lease_until = :lease_until, bulk = :bulk
 WHERE rowid IN (
       SELECT rowid FROM jobs
        WHERE space = :space AND due_at <= :now
          AND user_id NOT IN (SELECT j.user_id FROM jobs j WHERE j.space = :space AND (j.due_at > :now OR j.lease_until > :now))
          AND (:only_user = '' OR user_id = :only_user)
        ORDER BY item_id
        LIMIT :limit)
RETURNING user_id, item_id, item_kind, attempts

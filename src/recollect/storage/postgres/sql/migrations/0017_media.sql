-- Pictures and the like of memories and messages, and which of the originals that are kept belong to which of them.
ALTER TABLE memories ADD COLUMN media jsonb NOT NULL DEFAULT '[]';
ALTER TABLE messages ADD COLUMN media jsonb NOT NULL DEFAULT '[]';

CREATE TABLE media_originals (
    user_id  text   NOT NULL,
    item_id  uuid   NOT NULL,  -- the memory or message
    original text   NOT NULL CHECK (length(original) = 64),  -- the SHA-256 of the bytes
    size     bigint NOT NULL CHECK (size >= 0),
    PRIMARY KEY (user_id, item_id, original)
);

CREATE INDEX media_originals_bytes ON media_originals (original, user_id);

SELECT recollect_sample_nothing(name) FROM unnest(ARRAY['memories', 'messages', 'media_originals']) AS name;
SELECT recollect_protect('media_originals');

-- Roles that were admitted before.
DO $$
DECLARE
    writer text;
BEGIN
    FOR writer IN SELECT r.rolname
                    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
                   WHERE c.oid = 'memories'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON media_originals TO %I', writer);
    END LOOP;
END $$;

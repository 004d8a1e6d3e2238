-- Members of shared scopes. The user of the transaction is a member, or the scope itself.

-- memberships --
-- The scopes of a user.
SELECT scope_id, user_id, role, added_at, added_by FROM scope_members WHERE user_id = :user_id ORDER BY scope_id

-- member_role --
-- What a user may do in this scope.
SELECT role FROM scope_members WHERE user_id = :member AND scope_id = :user_id

-- set_member --
-- A member of this scope, or another role of one.
INSERT INTO scope_members (user_id, scope_id, role, added_at, added_by)
VALUES (:member, :user_id, :role, :added_at, :added_by)
    ON CONFLICT (user_id, scope_id) DO UPDATE
   SET role = excluded.role, added_at = excluded.added_at, added_by = excluded.added_by

-- remove_member --
-- A member who is none any more.
DELETE FROM scope_members WHERE user_id = :member AND scope_id = :user_id

-- leave_scopes --
-- All memberships of a user who leaves.
DELETE FROM scope_members WHERE user_id = :user_id

-- remove_members --
-- All members of a scope that is deleted.
DELETE FROM scope_members WHERE scope_id = :user_id

-- list_members --
-- The members of a scope, or of all of them.
SELECT scope_id, user_id, role, added_at, added_by FROM scope_members
 WHERE :scope_id::text = '' OR scope_id = :scope_id
 ORDER BY scope_id, user_id

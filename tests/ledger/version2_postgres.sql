CREATE SCHEMA IF NOT EXISTS discreet;
CREATE TABLE discreet.entries (seq integer PRIMARY KEY, kind text COLLATE "C" NOT NULL, dataset text COLLATE "C" NOT NULL, time text COLLATE "C" NOT NULL, epsilon text COLLATE "C", delta text COLLATE "C", spent_epsilon text COLLATE "C", spent_delta text COLLATE "C", adjacency text COLLATE "C", request_id text COLLATE "C", digest text COLLATE "C", outcome text COLLATE "C", previous text COLLATE "C" NOT NULL, hash text COLLATE "C" NOT NULL, composition text COLLATE "C", rho text COLLATE "C", spent_rho text COLLATE "C");
CREATE UNIQUE INDEX one_request ON discreet.entries (request_id, kind);
CREATE UNIQUE INDEX one_budget ON discreet.entries (dataset) WHERE kind = 'budget';
CREATE UNIQUE INDEX one_successor ON discreet.entries (previous);
CREATE INDEX by_dataset ON discreet.entries (dataset, kind, seq);
CREATE TABLE discreet.mark (version integer PRIMARY KEY);
INSERT INTO discreet.mark VALUES (2);
CREATE FUNCTION discreet.only_grows() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $guard$BEGIN RAISE EXCEPTION 'the ledger only grows'; END$guard$;
CREATE FUNCTION discreet.only_next() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $guard$
DECLARE
    last RECORD;
BEGIN
    SELECT seq, hash INTO last FROM discreet.entries ORDER BY seq DESC LIMIT 1;
    IF NEW.seq IS DISTINCT FROM coalesce(last.seq, 0) + 1
        OR NEW.previous IS DISTINCT FROM coalesce(last.hash, repeat('0', 64))
    THEN
        RAISE EXCEPTION 'the ledger only grows';
    END IF;
    RETURN NEW;
END$guard$;
CREATE TRIGGER no_update BEFORE UPDATE ON discreet.entries EXECUTE FUNCTION discreet.only_grows();
ALTER TABLE discreet.entries ENABLE ALWAYS TRIGGER no_update;
CREATE TRIGGER no_delete BEFORE DELETE ON discreet.entries EXECUTE FUNCTION discreet.only_grows();
ALTER TABLE discreet.entries ENABLE ALWAYS TRIGGER no_delete;
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON discreet.entries EXECUTE FUNCTION discreet.only_grows();
ALTER TABLE discreet.entries ENABLE ALWAYS TRIGGER no_truncate;
CREATE TRIGGER only_next BEFORE INSERT ON discreet.entries FOR EACH ROW EXECUTE FUNCTION discreet.only_next();
ALTER TABLE discreet.entries ENABLE ALWAYS TRIGGER only_next;
CREATE TRIGGER no_change BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON discreet.mark EXECUTE FUNCTION discreet.only_grows();
ALTER TABLE discreet.mark ENABLE ALWAYS TRIGGER no_change;

BEGIN TRANSACTION;
CREATE TABLE entries (
	seq INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	dataset TEXT NOT NULL, 
	time TEXT NOT NULL, 
	epsilon TEXT, 
	delta TEXT, 
	spent_epsilon TEXT, 
	spent_delta TEXT, 
	adjacency TEXT, 
	request_id TEXT, 
	digest TEXT, 
	outcome TEXT, 
	previous TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
INSERT INTO "entries" VALUES(1,'budget','anes','2026-01-01T00:00:00+00:00','1','1/1000000',NULL,NULL,'replace-one',NULL,NULL,NULL,'0000000000000000000000000000000000000000000000000000000000000000','82740e9c193b6856bdcdca53d00cd1f27b53dbf56a754a2f1962b24c0acb233b');
INSERT INTO "entries" VALUES(2,'budget','census','2026-01-01T00:00:01+00:00','7/3','0',NULL,NULL,'replace-one',NULL,NULL,NULL,'82740e9c193b6856bdcdca53d00cd1f27b53dbf56a754a2f1962b24c0acb233b','6ea458cb4f80e6e5cadca7a93eba1cb2e6362d3dd35c6964455b4d12af915485');
INSERT INTO "entries" VALUES(3,'charge','anes','2026-01-01T00:00:02+00:00','1/10','0','1/10','0','replace-one','monday','d',NULL,'6ea458cb4f80e6e5cadca7a93eba1cb2e6362d3dd35c6964455b4d12af915485','c71e758296b51dc3121b429428248b76d460fa1ddd7690b778d18f13eb336756');
INSERT INTO "entries" VALUES(4,'charge','census','2026-01-01T00:00:03+00:00','1/3','0','1/3','0','replace-one','é','e',NULL,'c71e758296b51dc3121b429428248b76d460fa1ddd7690b778d18f13eb336756','07ddd0d0a14ddf3f12ad30dd685e8a2025319a5d55701ebc55a85fb884afd218');
INSERT INTO "entries" VALUES(5,'seal','anes','2026-01-01T00:00:04+00:00',NULL,NULL,NULL,NULL,NULL,'monday','d','{"output": [3, 4]}','07ddd0d0a14ddf3f12ad30dd685e8a2025319a5d55701ebc55a85fb884afd218','5c358053fffc8839a1ef2720e5ed520010e714e1ca119db4cc4ea561dc46f084');
INSERT INTO "entries" VALUES(6,'charge','anes','2026-01-01T00:00:05+00:00','1/7','1/1000000000','17/70','1/1000000000','replace-one','tuesday','f',NULL,'5c358053fffc8839a1ef2720e5ed520010e714e1ca119db4cc4ea561dc46f084','a4f1ca965071f516cbc9415149a69a852ad03022287111f50b6eda99f24b4c59');
CREATE UNIQUE INDEX one_request ON entries (request_id, kind);
CREATE INDEX by_dataset ON entries (dataset, kind, seq);
CREATE UNIQUE INDEX one_budget ON entries (dataset) WHERE kind = 'budget';
CREATE UNIQUE INDEX one_successor ON entries (previous);
CREATE TRIGGER no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
CREATE TRIGGER only_next BEFORE INSERT ON entries WHEN
        NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
        OR NEW.previous IS NOT coalesce((SELECT hash FROM entries ORDER BY seq DESC LIMIT 1), '0000000000000000000000000000000000000000000000000000000000000000')
        OR EXISTS (SELECT 1 FROM entries WHERE request_id = NEW.request_id AND kind = NEW.kind)
        OR EXISTS (SELECT 1 FROM entries WHERE NEW.kind = 'budget' AND kind = 'budget' AND dataset = NEW.dataset)
        BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
COMMIT;
PRAGMA application_id = 1684238964;
PRAGMA user_version = 1;

-- What the table of suspects says and the results do not, and the reverse: nothing.
WITH point AS MATERIALIZED (
	SELECT x.test, x.run, x.outcome, x.flags & 1 AS derived, r.workspace, r.session, r.language || '|' || r.fingerprint || '|' || r.environment AS source,
		r.fingerprint <> '' AND r.mixed_state = 0 AS known
	FROM runs r JOIN results x ON x.run = r.id AND x.outcome IN (0, 1, 3) WHERE r.state = 'finished' AND r.kind <> 'triage'),
run AS MATERIALIZED (SELECT test, run, workspace, session, min(derived) = 0 AS own FROM point WHERE outcome > 0 GROUP BY test, run),
both AS MATERIALIZED (SELECT test, count(*) AS sources FROM (
	SELECT test FROM point WHERE known GROUP BY test, source HAVING min(outcome) = 0 AND max(outcome) > 0) GROUP BY test),
recounted AS MATERIALIZED (SELECT k.*, coalesce(b.sources, 0) FROM (
	SELECT test, workspace, max(run), count(*), sum(own), count(DISTINCT session) FROM run GROUP BY test) k LEFT JOIN both b ON b.test = k.test)
SELECT * FROM (SELECT test, workspace, last, runs, own, sessions, both FROM suspects EXCEPT SELECT * FROM recounted)
UNION ALL
SELECT * FROM (SELECT * FROM recounted EXCEPT SELECT test, workspace, last, runs, own, sessions, both FROM suspects)

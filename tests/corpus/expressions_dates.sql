-- name: parts
SELECT id, year(born) AS y, month(born) AS m, dayofmonth(born) AS d, quarter(born) AS q, weekofyear(born) AS w, extract(DOW FROM born) AS dow FROM customers

-- name: arithmetic
SELECT id, day + 1 AS a, day - 1 AS b, date_add(day, quantity) AS c, datediff(day, DATE'2024-01-01') AS d, add_months(day, 1) AS e FROM orders

-- name: subtraction_gives_interval
SELECT id, day - DATE'2024-01-01' AS since, at_diff FROM (SELECT id, day, TIMESTAMP'2024-01-02 00:00:00' - TIMESTAMP'2024-01-01 12:30:00' AS at_diff FROM orders)

-- name: interval_literals
SELECT id, day + INTERVAL 1 MONTH AS a, day - INTERVAL '1-2' YEAR TO MONTH AS b, CAST(day AS TIMESTAMP) + INTERVAL '1 02:03:04.5' DAY TO SECOND AS c FROM orders

-- name: truncation
SELECT id, trunc(day, 'MM') AS a, date_trunc('HOUR', at) AS b, date_trunc('WEEK', at) AS c, last_day(day) AS d FROM orders JOIN events USING (id) UNION ALL SELECT id, trunc(born, 'YEAR'), NULL, NULL, next_day(born, 'MON') FROM customers

-- name: formatting
SELECT id, date_format(at, 'yyyy-MM-dd HH:mm:ss.SSS') AS a, date_format(at, "EEE 'o''clock'") AS b, CAST(at AS STRING) AS c FROM events

-- name: parsing
SELECT id, to_date('2024-0' || id, 'yyyy-MM') AS a, to_timestamp('2024/02/0' || id, 'yyyy/MM/dd') AS b, try_to_timestamp(kind) AS c FROM events

-- name: unix_time
SELECT id, unix_timestamp(at) AS a, unix_micros(at) AS b, timestamp_seconds(value) AS c, timestamp_millis(value * 1000) AS d, from_unixtime(value) AS e FROM events

-- name: time_zones
SELECT id, from_utc_timestamp(at, 'Europe/Paris') AS a, to_utc_timestamp(at, 'Asia/Kolkata') AS b, convert_timezone('UTC', 'America/New_York', local) AS c FROM events

-- name: timestamp_ntz
SELECT id, local, CAST(local AS DATE) AS day, local + INTERVAL 1 DAY AS later, hour(local) AS h, CAST(local AS TIMESTAMP) AS zoned FROM events WHERE id < 8

-- name: timestamp_literals
SELECT id FROM events WHERE at >= TIMESTAMP'2024-03-31 01:00:00Z' AND at < TIMESTAMP_NTZ'2024-03-31 02:00:00'

-- name: timestampadd_diff
SELECT id, timestampadd(MINUTE, 5, at) AS a, timestampdiff(SECOND, TIMESTAMP'2024-03-31 00:00:00', at) AS b, dateadd(HOUR, -1, at) AS c FROM events

-- name: months_between
SELECT id, months_between(day, DATE'2023-12-31') AS a, months_between(day, DATE'2024-01-15', false) AS b FROM orders

-- name: make_values
SELECT id, make_date(2024, id, 1) AS a, make_timestamp(2024, 1, id, 0, 0, 1.5) AS b, make_dt_interval(id) AS c, make_ym_interval(id, 1) AS d FROM staff

-- name: before_the_epoch
SELECT id, born, CAST(born AS TIMESTAMP) AS at, unix_date(born) AS days FROM customers WHERE born < DATE'1970-01-01'

-- name: date_keys
SELECT day, date_part('MONTH', day) AS m, count(*) AS n FROM orders GROUP BY day, date_part('MONTH', day)

-- name: sequence_of_dates
SELECT id, sequence(DATE'2024-01-01', DATE'2024-03-01', INTERVAL 1 MONTH) AS months FROM staff

-- name: time_type_text
SELECT id, date_format(local, 'HH:mm') AS clock, hour(at) * 60 + minute(at) AS minutes, second(at) AS s FROM events

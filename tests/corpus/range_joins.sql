-- name: between
SELECT o.id, v.label FROM orders o JOIN (VALUES (0, 10, 'small'), (10, 50, 'middle'), (50, 1000, 'large')) AS v(lo, hi, label) ON o.amount >= v.lo AND o.amount < v.hi

-- name: between_keyword
SELECT a.id, b.id AS other FROM events a JOIN events b ON a.at BETWEEN b.at - INTERVAL 5 MINUTES AND b.at + INTERVAL 5 MINUTES

-- name: overlapping
SELECT a.id, b.id AS other FROM staff a JOIN staff b ON a.pay <= b.pay + 10 AND b.pay <= a.pay + 10 AND a.id < b.id

-- name: left_range
SELECT s.id, o.id AS order_id FROM staff s LEFT JOIN orders o ON o.amount BETWEEN s.pay AND s.pay + 30

-- name: range_and_key
SELECT a.id, b.id AS earlier FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND b.day < a.day

-- name: as_of_like
SELECT a.id, max(b.id) AS latest FROM events a LEFT JOIN events b ON b.at < a.at GROUP BY a.id

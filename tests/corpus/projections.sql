-- name: star
SELECT * FROM customers

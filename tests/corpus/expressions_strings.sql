-- name: concatenation
SELECT id, name || ' of ' || city AS a, concat(name, city) AS b, concat_ws('-', name, city, 'x') AS c FROM customers

-- name: substring_trim_pad
SELECT id, substring(text, 2, 3) AS a, trim(text) AS b, lpad(text, 8, '*') AS c, rtrim('x', text) AS d, left(text, 2) AS e FROM strings

-- name: trim_both_from
SELECT id, trim(BOTH ' p' FROM text) AS a, trim(LEADING 'p' FROM text) AS b FROM strings

-- name: case_and_length
SELECT id, upper(text) AS u, lower(text) AS l, initcap(text) AS i, length(text) AS n, octet_length(text) AS o FROM strings

-- name: search
SELECT id, instr(text, 'a') AS a, locate('b', text, 2) AS b, position('l' IN text) AS c, contains(text, '%') AS d, startswith(text, 'p') AS e FROM strings

-- name: regular_expressions
SELECT id, regexp_replace(text, '[aeiou]', '<$0>') AS a, regexp_extract(text, '(\\w+)', 1) AS b, regexp_count(text, 'a') AS c FROM strings

-- name: split_and_join
SELECT id, split(text, '[,;]') AS parts, split_part(text, ',', 1) AS first, array_join(split(text, ''), '|') AS letters FROM strings

-- name: format_and_numbers
SELECT id, format_string('%05d <%s>', id, name) AS a, format_number(balance, 1) AS b, to_char(balance, '999,999.99') AS c FROM customers

-- name: hashes_and_codes
SELECT id, md5(CAST(text AS BINARY)) AS a, sha2(CAST(text AS BINARY), 256) AS b, hash(text, id) AS c, xxhash64(text) AS d, crc32(CAST(text AS BINARY)) AS e FROM strings

-- name: encodings
SELECT id, base64(bytes) AS a, hex(bytes) AS b, unhex(hex(bytes)) AS c, encode(text, 'UTF-8') AS d, decode(bytes, 'ISO-8859-1') AS e FROM strings

-- name: translate_and_overlay
SELECT id, translate(text, 'abc', 'xyz') AS a, overlay(text PLACING '##' FROM 2 FOR 1) AS b, reverse(text) AS c, repeat(code, 2) AS d FROM strings

-- name: literals_with_every_escape
SELECT 'single '' quote' AS a, "double "" quote" AS b, 'tab\tnew\nline' AS c, 'percent \% under \_' AS d, '\\' AS e, '\u00e9 😀' AS f, 'a' 'b' AS g FROM staff

-- name: nvl_family
SELECT id, coalesce(name, city, '?') AS a, nvl(name, '-') AS b, nvl2(name, 'y', 'n') AS c, nullif(city, 'rome') AS d, ifnull(name, '') AS e FROM customers

-- name: decode_and_if
SELECT id, decode(city, 'london', 1, 'paris', 2, NULL, -1, 0) AS a, if(city = 'oslo', name, city) AS b FROM customers

-- name: levenshtein_soundex
SELECT id, levenshtein(name, city) AS a, soundex(name) AS b, ascii(name) AS c, chr(id + 64) AS d FROM customers WHERE id IS NOT NULL

-- name: url_and_mask
SELECT id, parse_url('https://ex.org/p?q=' || id || '#f', 'QUERY') AS a, url_encode(text) AS b, mask(text) AS c FROM strings

-- name: casts_to_and_from
SELECT id, CAST(id AS STRING) || 'x' AS a, CAST(CAST(balance AS STRING) AS DECIMAL(9,1)) AS b, try_cast(name AS INT) AS c, TRY_CAST(city AS DATE) AS d FROM customers

-- name: sentences_and_find
SELECT id, sentences(text) AS a, find_in_set(code, 'ab,cd,x') AS b, substring_index(text, ' ', 1) AS c FROM strings

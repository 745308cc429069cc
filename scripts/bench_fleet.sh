#!/bin/sh
# Mines the same games by two threads and by a fleet of two workers, and compares bytes and time.
# Usage: scripts/bench_fleet.sh CENTIPAWN [GAMES.pgn] (postgres, initdb and stockfish must be installed)
set -eu
centipawn=$PWD/$1
games=${2:-../shared/data/pgn/lichess/lichess_2021-10_eval96.pgn}
[ -e "$games" ] || games=tests/data/lichess.pgn
programs=$(ls -d /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null | tail -1)
folder=$(mktemp -d)
port=${PORT:-54329}
as_server() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
one= two=
stop() { kill $one $two 2>/dev/null || true; as_server "$programs/pg_ctl" --pgdata "$folder/data" --mode=fast stop >/dev/null 2>&1 || true; rm -rf "$folder"; }
trap stop EXIT
as_server "$programs/initdb" --username=postgres --auth=trust --no-sync --pgdata "$folder/data" >/dev/null
as_server "$programs/pg_ctl" --pgdata "$folder/data" --log "$folder/log" -w -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >/dev/null
url=postgres://postgres@127.0.0.1:$port/postgres
export CENTIPAWN_STORE=none
mine="$centipawn puzzles mine $games --effort ${EFFORT:-0.2} -q -j 2"
now() { date +%s.%N; }
"$centipawn" fleet setup --fleet "$url" -q
begin=$(now)
$mine -o "$folder.threads.csv"
threads=$(now)
"$centipawn" worker --fleet "$url" -q -j 1 & one=$!
"$centipawn" worker --fleet "$url" -q -j 1 & two=$!
fleet=$(now)
$mine --fleet "$url" -o "$folder.fleet.csv"
end=$(now)
kill $one $two
wait $one $two || true
one= two=
cmp "$folder.threads.csv" "$folder.fleet.csv"
rm -f "$folder.threads.csv" "$folder.fleet.csv"
awk "BEGIN { t = $threads - $begin; f = $end - $fleet; printf \"two threads %.1f s, two workers %.1f s: %.3f (goal 1.03 and 5 s); the same bytes\n\", t, f, f / t }"

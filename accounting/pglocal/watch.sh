# watch.sh BIN DIR: makes and runs the server; ends it and removes DIR when standard input ends, which happens when the
# process holding the other end closes it or dies, even by kill -9.
trap '' INT TERM HUP
bin=$1 dir=$2
{
	"$bin/initdb" -D "$dir/data" -U fairbridge -A trust -E UTF8 --locale=C --no-sync &&
		"$bin/pg_ctl" -D "$dir/data" -l "$dir/server.log" -w -t 300 start -o "-k '$dir' -c listen_addresses='' \
			-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200 \
			-c shared_buffers=32MB -c jit=off -c max_wal_size=256MB -c autovacuum_naptime=10s"
} >"$dir/log" 2>&1 </dev/null
started=$?
[ $started = 0 ] || cat "$dir/server.log" >>"$dir/log" 2>/dev/null
if [ $started = 0 ]; then echo ready; fi
exec >/dev/null
read -r _
"$bin/pg_ctl" -D "$dir/data" -m immediate -w -t 10 stop >/dev/null 2>&1
cd / && rm -rf "$dir"

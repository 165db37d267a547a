// Package localjournal keeps the ledger of intents in a file beside the
// daemon, so that what is ours in Slurm can be given back while Postgres is
// down. The file is JSON lines, one intent a line, the last line of an id
// counting; every append is on disk before it returns. The database stays the
// truth: this file is only read when it cannot be asked.
package localjournal

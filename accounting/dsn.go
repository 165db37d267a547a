package accounting

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// DSNVariable is the environment variable that holds the DSN when the configuration
// names none.
const DSNVariable = "FAIRBRIDGE_DB"

// errNoDSN says how to name the database.
var errNoDSN = errors.New("no database is named: set " + DSNVariable + " or database.dsn_file, for example to postgres://fairbridge@/fairbridge?host=/run/postgresql")

// readDSN returns the connection string: the file's, the configured one, or the
// environment's.
func (c Config) readDSN() (string, error) {
	if c.DSNFile != "" {
		b, err := os.ReadFile(c.DSNFile)
		if err != nil {
			return "", fmt.Errorf("reading the database connection string: %w", err)
		}
		if s := strings.TrimSpace(string(b)); s != "" {
			return s, nil
		}
		return "", fmt.Errorf("reading the database connection string: %s is empty", c.DSNFile)
	}
	for _, s := range []string{c.DSN, os.Getenv(DSNVariable)} {
		if s = strings.TrimSpace(s); s != "" {
			return s, nil
		}
	}
	return "", errNoDSN
}

// The limits of one statement. A slow database must not stall a cycle past its
// deadline.
const (
	connectTimeout   = 5 * time.Second
	statementTimeout = "10s"
	lockTimeout      = "2s"
	idleInTxTimeout  = "10s"
)

// poolConfig returns the settings of the connections. The parser's own error quotes
// the connection string, so it is not passed on.
func (c Config) poolConfig() (*pgxpool.Config, error) {
	dsn, err := c.readDSN()
	if err != nil {
		return nil, err
	}
	pc, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the database connection string cannot be read: want postgres://user@host/database or host=… dbname=… (its text is not shown, it may hold a password)")
	}
	pc.MaxConns = c.MaxConns
	if pc.MaxConns <= 0 {
		pc.MaxConns = 6
	}
	cc := pc.ConnConfig
	if cc.ConnectTimeout == 0 || cc.ConnectTimeout > connectTimeout {
		cc.ConnectTimeout = connectTimeout
	}
	for k, v := range map[string]string{
		"application_name": "fairbridge", "timezone": "UTC", "statement_timeout": statementTimeout,
		"lock_timeout": lockTimeout, "idle_in_transaction_session_timeout": idleInTxTimeout,
	} {
		if cc.RuntimeParams[k] == "" {
			cc.RuntimeParams[k] = v
		}
	}
	cc.RuntimeParams["synchronous_commit"] = "on" // what was committed is there, whatever server and role are set to
	if c.StatementTimeout > 0 {
		cc.RuntimeParams["statement_timeout"] = strconv.FormatInt(c.StatementTimeout.Milliseconds(), 10)
	}
	return pc, nil
}

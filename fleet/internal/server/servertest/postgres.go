package servertest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	persistence "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/schema"
	v12 "go.temporal.io/server/schema/postgresql/v12"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/proctorhq/proctor/fleet/internal/server"
)

// Serve runs a Temporal server on the PostgreSQL at a port of this machine until the process is
// killed. It calls ready when the server works.
func Serve(ctx context.Context, database, port int, namespace string, ready func()) error {
	main, err := prepare(database, "temporal", v12.Version)
	if err != nil {
		return err
	}
	visibility, err := prepare(database, "visibility", v12.VisibilityVersion)
	if err != nil {
		return err
	}
	cfg := server.Configure(main, port)
	cfg.Persistence.VisibilityStore = "visibility"
	cfg.Persistence.DataStores["visibility"] = config.DataStore{SQL: visibility}
	if _, err := server.Launch(cfg); err != nil {
		return err
	}
	c, err := client.NewLazyClient(client.Options{HostPort: cfg.PublicClient.HostPort})
	if err != nil {
		return err
	}
	for {
		_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
		})
		var exists *serviceerror.NamespaceAlreadyExists
		if err == nil || errors.As(err, &exists) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := server.WaitReady(ctx, cfg.PublicClient.HostPort, namespace); err != nil {
		return err
	}
	ready()
	<-ctx.Done()
	return nil
}

// prepare creates a database with its schema unless it exists.
func prepare(port int, name, version string) (*config.SQL, error) {
	of := func(database string) *config.SQL {
		return &config.SQL{PluginName: postgresql.PluginNamePGX, ConnectAddr: fmt.Sprint("127.0.0.1:", port), ConnectProtocol: "tcp", User: "postgres", DatabaseName: database}
	}
	open := func(database string) (sqlplugin.AdminDB, error) {
		return persistence.NewSQLAdminDB(sqlplugin.DbKindUnknown, of(database), resolver.NewNoopResolver(), log.NewNoopLogger(), metrics.NoopMetricsHandler)
	}
	all, err := open("postgres")
	if err != nil {
		return nil, err
	}
	defer all.Close()
	if err := all.CreateDatabase(name); err != nil { // which is nil if it exists
		return nil, err
	}
	db, err := open(name)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if was, err := db.ReadSchemaVersion(name); err == nil && was == version {
		return of(name), nil
	}
	tables, err := fs.ReadFile(schema.Assets(), "postgresql/v12/"+name+"/schema.sql")
	if err == nil {
		err = db.Exec(string(tables))
	}
	if err == nil {
		err = db.CreateSchemaVersionTables()
	}
	if err == nil {
		err = db.UpdateSchemaVersion(name, version, version)
	}
	return of(name), err
}

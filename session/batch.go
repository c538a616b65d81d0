package session

import "github.com/kedge-opt/kedge/batch"

// Batch is people who answered what is live, one a row.
type Batch = batch.Batch

// Limits on what messages hold.
const (
	MostRows      = batch.MostRows
	MostBatches   = 1_000     // of a decision
	MostOfAllRows = 1_000_000 // of a decision
)

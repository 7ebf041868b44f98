package history_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/internal/testbin"
)

func TestMain(m *testing.M) {
	testbin.InMemory()
	if testbin.HasRaceDetector() {
		flag.Parse()
		if err := flag.Set("rapid.checks", "15"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}

// opener opens the history kept in a directory, for a workspace root. The test that opens it
// closes it.
type opener func(ctx context.Context, dir, root string) (history.Store, error)

func TestASQLiteStoreKeepsTheContract(t *testing.T) {
	defer goleak.VerifyNone(t)
	recounted, err := os.ReadFile(filepath.Join("sqlite", "testdata", "recounted.sql"))
	if err != nil {
		t.Fatal(err)
	}
	testContract(t, func(ctx context.Context, dir, root string) (history.Store, error) {
		path := filepath.Join(dir, "history.db")
		store, err := sqlite.Open(ctx, sqlite.Config{Path: path, Root: root})
		if err != nil {
			return nil, err
		}
		return &countedStore{Store: store, t: t, path: path, miscounted: string(recounted)}, nil
	})
}

// countedStore is a SQLite store that checks its counts when it is closed.
type countedStore struct {
	history.Store
	t                *testing.T
	path, miscounted string
	closed           bool
}

func (s *countedStore) Close() error {
	err := s.Store.Close()
	if s.closed || err != nil {
		return err
	}
	s.closed = true
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		return err
	}
	defer db.Close()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM (" + s.miscounted + ")").Scan(&n); err != nil || n > 0 {
		s.t.Errorf("%d suspects are not what the results say, %v", n, err)
	}
	return nil
}

// testContract holds the stores that open opens to the contract of [history.Store].
func testContract(t *testing.T, open opener) {
	for _, test := range []struct {
		name string
		test func(t *testing.T, open opener)
	}{
		{"ARunIsFoundByItsIDOrTheUniqueBeginningOfOne", testRunReference},
		{"ARunIsOnRecordOnce", testExists},
		{"EveryFieldOfARunIsKept", testRunFields},
		{"RunsAreNarrowedAndTheNewestIsFirst", testRunFilter},
		{"FinishedRunsAreSummedUp", testSpan},
		{"FinishedRunsAndTheirFilesAreListed", testFinished},
		{"EveryFieldOfAResultIsKept", testResultFields},
		{"NamesAreKeptAsTheyAre", testNames},
		{"ResetTakesBackAllResults", testReset},
		{"AnAbandonedRunIsStillRunning", testAbandon},
		{"TheDictionaryKeepsWhatIsKnownLast", testDictionary},
		{"TestsAreFoundByNameAndFile", testFindTests},
		{"TestsThatOnlyOneSessionSawAreLeftOut", testTestsOwnToASession},
		{"SuitesAreFoundByFileThenByDirectory", testSuites},
		{"SuspectsAreThoseThatFailedLastFirst", testSuspects},
		{"SuspectsOfTheirLatestResultsFailedInOneOfThem", testAmong},
		{"SuspectsOfBothKindsPassedAndFailedOnOneState", testBoth},
		{"ATimelineHasTheNewestPointsOfFinishedRuns", testTimeline},
		{"ALongSessionHidesNeitherEarlierOnesNorTheLastPass", testEnds},
		{"FilesAreSummedUpByTheWorstOfATest", testFiles},
		{"CompareYieldsWhatEndedOtherwise", testCompare},
		{"DurationsAreOfPassesInTheLastRuns", testDurations},
		{"MeasuresAreOfTheLastRuns", testMeasures},
		{"AStateIsKeptOnceWithItsFiles", testStates},
		{"WhatIsOutstandingIsUpdatedByOneAtATime", testOutstanding},
		{"TheOldestEntriesGoFirst", testEntries},
		{"DeferralsAreSetAndTakenBack", testDeferrals},
		{"AnswersAreKept", testAnswers},
		{"AnswersAreDroppedByKeyAndAge", testDroppedAnswers},
		{"RemoveTakesRunsOffTheRecord", testRemove},
		{"RemoveKeepsWhatWasSeenOnce", testRemoveDictionary},
		{"RemoveMayStopAfterEachOfItsSteps", testRemoveSteps},
		{"RemoveMayEndWithItsContext", testRemoveEnded},
		{"RemoveLetsOthersReadAndWrite", testRemoveBeside},
		{"WorkspacesDoNotMix", testWorkspaces},
		{"EverythingIsThereAfterReopening", testReopen},
		{"ManyRecordersLoseNothing", testConcurrent},
		{"ReadersMayAskForMoreWhileTheyRead", testNested},
		{"ItDoesWhatANaiveModelDoes", testModel},
	} {
		t.Run(test.name, func(t *testing.T) { test.test(t, open) })
	}
}

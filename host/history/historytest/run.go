package historytest

import (
	"context"
	"testing"

	"github.com/proctorhq/proctor/host/history"
)

// Opener opens the history that is kept in a directory, for a workspace root. The
// same directory is the same history. The test that opens it closes it.
type Opener func(ctx context.Context, dir, root string) (history.Store, error)

// Run holds the stores that open opens to the contract of [history.Store].
func Run(t *testing.T, open Opener) {
	for _, test := range []struct {
		name string
		test func(t *testing.T, open Opener)
	}{
		{"ARunIsFoundByItsIDOrTheUniqueBeginningOfOne", testRunReference},
		{"ARunIsOnRecordOnce", testExists},
		{"EveryFieldOfARunIsKept", testRunFields},
		{"RunsAreNarrowedAndTheNewestIsFirst", testRunFilter},
		{"FinishedRunsAndTheirFilesAreListed", testFinished},
		{"EveryFieldOfAResultIsKept", testResultFields},
		{"NamesAreKeptAsTheyAre", testNames},
		{"ResetTakesBackAllResults", testReset},
		{"AnAbandonedRunIsStillRunning", testAbandon},
		{"TheDictionaryKeepsWhatIsKnownLast", testDictionary},
		{"TestsAreFoundByNameAndFile", testFindTests},
		{"SuitesAreFoundByFileThenByDirectory", testSuites},
		{"SuspectsAreThoseThatFailedLastFirst", testSuspects},
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

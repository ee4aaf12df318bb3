package tui

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// rules are what the console promises, with the tests that break when a promise
// is broken. Tests of other packages are named with their folder. B is keys, acts,
// questions, leaving and words, C is shapes, D are the rules of interaction, E is
// how frames and sessions are proved.
var rules = map[string][]string{
	"B1 keys mean what is promised":                     {"keymap/TestKeysMeanWhatIsPromised", "keymap/TestEveryKeyOfAPaneIsPromised", "keymap/TestTourSaysWhatKeysDo", "keymap/TestDeletingKeysNeverActOnRuns", "keymap/TestTheTerminalIsAskedForEverywhere"},
	"B2 each state offers what fits":                    {"TestEachStateOffersWhatFits", "TestActsThatDoNotFitAreRefusedWithTheReason", "TestSignalToASuspendedRunSaysWhenItArrives", "TestNothingCanBeChangedWithoutTheLease"},
	"B3 guards: 300 ms, repeats, paste, size and focus": {"TestGuards", "TestAHeldKeyCountsOnce", "TestSuspendIsNotTurnedRoundByAHeldKey", "TestTerminalsAreAskedForRepeats", "TestSessionTellsAHeldKeyFromANewOne", "TestPasteGoesToTextFieldsOnly", "TestExportNeverOverwritesUnasked"},
	"B3 a new truth wants a new key":                    {"TestDialogTellsTheNewTruthAndWantsANewKey"},
	"B3 no question can be switched off but one":        {"TestNothingSwitchesTheQuestionsOff", "TestTeardownIsRetriedAtOnceWhenAskedFor"},
	"B3 reasons are remembered":                         {"TestReasonsAreRemembered"},
	"B3 no key both asks and answers":                   {"config/TestFaultsNameTheirLine"},
	"B4 drain, abandon, stay, three ctrl+c":             {"TestLeaving", "TestThirdInterruptWithinTwoSecondsEndsAtOnce", "TestSlowInterruptsNeverEndAtOnce", "TestDrainShowsWhatItWaitsForAndCanBeAbandoned"},
	"B4 to the shell and back":                          {"TestSessionGoesToTheShellAndBack", "TestSessionStopsAndGoesOn", "TestLeaseIsReadBeforeTheFirstActAfterAPause"},
	"B5 words":                                          {"TestWordsOfOldAreThere", "TestNoPrefixActs", "TestCommands", "TestEveryActionHasAWord", "TestCommandsAreRememberedWithoutPayloads"},
	"C shapes and their hysteresis":                     {"TestGoldenShapes", "TestNeedsUseTheRoomThereIs", "TestShapesDoNotFlicker", "TestShapesChangeWhereTheyShould", "TestFocusAndScrollSurviveAChangeOfShape", "TestStormOfSizes", "TestSmallScreenKeepsItsState"},
	"E frames of every pane in every condition":         {"TestGoldenFrames", "TestEveryPaneTellsItsConditionAtEverySize", "TestColouredFrameOfEachTheme", "TestEveryFrameHasItsSize"},
	"E sessions leave the terminal as it was":           {"TestSessionEndsAndMendsRuns", "TestSessionCancelsManyWhileOneFinishes", "TestSessionIgnoresAPasteStorm", "TestSessionSurvivesAResizeStorm", "TestSessionEndsInOrderBySignals", "TestSessionSurvivesAPanicElsewhere", "TestSessionSurvivesBeingKilled", "TestSessionSurvivesAnExitElsewhere", "TestSessionTellsThatItWasDeposed", "cmd/weft-tui/TestPanicsBesideTheConsole", "cmd/weft-tui/TestKilledConsole"},

	"D1 a run is addressed by id and run id":                {"TestCancelHitsTheRunTheDialogNames", "TestSignalGoesToTheRunTheFormNames", "TestKeysEndAndMendRuns"},
	"D2 a dialog freezes what it acts on":                   {"TestBulkActsTouchExactlyWhatWasFrozen", "TestDialogTellsTheNewTruthAndWantsANewKey"},
	"D3 late answers are dropped":                           {"TestLateAnswersAreDropped", "TestLateAnswersAreDroppedWhileTheNewOneIsOut", "TestWhatIsReadAfterAnOwnActOutranksWhatWasAskedBefore"},
	"D4 an own act is shown until it is confirmed":          {"TestAnswerOfAnActThatTakesLong", "TestFormKeepsEverythingWhenTheActFails", "TestOutcomeThatIsNotKnownIsSaidSo"},
	"D5 one instant for a frame, and clocks that differ":    {"TestFrozenConsoleDrawsTheSameFrame", "TestClocksThatDifferAreAProblem", "views/TestDurationsAndSizes"},
	"D6 the lease counts down by our clock, and says so":    {"TestLeaseIsCountedDownByOurClock", "TestGoldenFrames"},
	"D7 times relative, local, UTC; exports in UTC":         {"TestTimesByAClock", "TestExportOfARun"},
	"D8 nothing moves under the reader":                     {"TestNewRowsAreCountedUntilTakenIn", "TestListFollowsAtTheTop", "TestCursorStaysOnItsRunWhileEverythingChanges"},
	"D9 esc goes one step":                                  {"TestEscapeGoesOneStep", "TestFamilyLeadsOnAndBack"},
	"D10 a row that left stays until the cursor leaves":     {"TestRowThatLeftStaysDimmedUntilTheCursorLeaves", "TestRowThatEndsAtTheTopStaysToo"},
	"D11 without a row there are no acts":                   {"TestEachStateOffersWhatFits", "TestRefusalsSayWhy", "TestExportThatFails", "TestEmptyListsOfferNoRowKeys"},
	"D12 hidden marks are counted and listed first":         {"TestHiddenMarksAreSaidFirst", "TestListsAreRemembered"},
	"D13 marks, dialogs and fields hold the list":           {"TestOpenDialogHoldsTheList", "TestHeldListsSayHowMuchWaits"},
	"D14 counts come from one snapshot":                     {"TestCountsComeFromOneSnapshot"},
	"D15 what is read anew keeps the order":                 {"TestOrders"},
	"D16 no matches, nothing yet, nothing owed":             {"TestListsWithoutRowsSayWhy", "TestGoldenFrames", "TestFilterWords"},
	"D17 long ids are cut in the middle":                    {"views/TestFitMiddleKeepsTheTail", "TestGoldenFrames"},
	"D18 live, polling, stale, lost":                        {"TestLinkNeverClaimsToBeLive", "TestPollingReadsTheListsWithoutASubscription"},
	"D19 unknown is unknown":                                {"TestOnlyAHeldLeaseIsGreen", "TestUnknownIsNeverGreen", "TestFeedIsCalmOnlySinceItHears", "TestEveryPaneTellsItsConditionAtEverySize", "TestFrozenConsoleSaysWhatItDoesNotRead"},
	"D20 deposed: nothing can be changed":                   {"TestNothingCanBeChangedWithoutTheLease", "TestNoCommandActsWithoutTheLease", "TestEndings", "TestSessionTellsThatItWasDeposed", "TestDeposedTellsBothEpochs"},
	"D21 owed is amber, long owed and dead are red":         {"TestOwedIsAmberAndLongOwedIsRed", "TestSettingsChangeWhileTheConsoleIsOpen"},
	"D22 problems stand, results pass":                      {"TestClocksThatDifferAreAProblem", "TestStandingConditionsAreProblems", "TestProblemsKeepSinceWhenTheyStand", "TestSettingsThatAreUnfitAtTheStartAreAProblem", "TestResultsStayFourSecondsAndAKey"},
	"D23 similar events are one line":                       {"TestFeedCollapsesWhatIsSimilar", "TestFeedCollapsesWhatIsSimilarAmongOthers", "TestFeedCountsWithinASecondOnly"},
	"D24 retry makes no second attempt":                     {"TestActsThatDoNotFitAreRefusedWithTheReason", "TestEachStateOffersWhatFits"},
	"D25 attempts, delays and horizons are shown":           {"TestWaitingForATeardownIsADecision", "TestGoldenFrames"},
	"D26 a type of another build is held":                   {"TestHeldTeardownsAreAProblemWithTheirNumber", "TestActsThatDoNotFitAreRefusedWithTheReason"},
	"D27 redrive is conditional":                            {"TestDialogTellsTheNewTruthAndWantsANewKey"},
	"D28 dead letters have no cap":                          {"TestDeadLettersHaveNoCap"},
	"D29 the teardown is named before the act":              {"TestDialogTellsTheNewTruthAndWantsANewKey", "TestGoldenShapes"},
	"D30 what an owed teardown blocks says so":              {"TestActsThatDoNotFitAreRefusedWithTheReason", "TestRefusalLeadsToWhatBlocks", "TestRefusalThatIsOverLeadsNowhere"},
	"D31 key, palette, menu and word, one gate":             {"TestEveryActionHasAWord", "TestMenuPassesTheSameGate", "TestPaletteOffersWhatThePlaceDoes", "TestNoCommandActsWithoutTheLease"},
	"D32 a disabled key answers with its reason":            {"TestRefusalsSayWhy", "TestHelpListsAllKeysWithTheirReasons", "TestHelpIsFiltered", "TestNothingSwitchesTheQuestionsOff"},
	"D32 hints name the keys there are":                     {"TestHintsNameTheKeysThereAre", "TestSignsNameTheKeysThereAre", "TestStaleHintsAreFound"},
	"D33 text fields own their keys":                        {"keymap/TestLettersAreTextWhereTextIsOwned", "keymap/TestCtrlCWorksEverywhere"},
	"D33 an editor writes, and never sends":                 {"TestEditorGivesBackWhatItWrote", "TestEditingRunsTheCommand", "TestEditorsCtrlCIsItsOwn", "TestAfterTheEditorTheLeaseIsReadFirst", "TestSessionLendsTheTerminalToAnEditor"},
	"D34 / filters while typing, a bad one keeps the last":  {"TestFilterWaitsForTypingToRest", "TestFilterThatCannotBeReadKeepsTheLastGoodOne", "TestFilterWords"},
	"D35 the filter sees whole values, and the case rule":   {"TestFilterWords", "views/TestParseFilter"},
	"D36 y counts once, and repeats behind a backlog never": {"TestGuards", "TestAHeldKeyCountsOnce", "TestRepeatsBehindABacklogAreDropped", "TestBacklogEndsWithARest", "TestTextIsNeverDropped"},
	"D37 the click that focuses does nothing":               {"TestMouseAcceptsNothing"},
	"D38 the footer shows what fits":                        {"TestFooterNeverShowsHalfAWord", "TestEveryFrameHasItsSize", "TestFooterOfWhatIsReadTellsItsOwnKeys", "TestHelpIsNotCut"},
	"D39 stored text is sanitised":                          {"TestStoredTextNeverReachesTheTerminalRaw", "TestSessionShowsHostileTextHarmlessly", "TestClipboardIsClean", "views/TestClean", "TestExportOfARun", "cmd/weft-tui/TestJSONDrivesNoTerminal"},
	"D40 status is letter, word and colour":                 {"TestStatusIsToldTwice", "TestColouredFrameOfEachTheme", "TestSelectionFillsItsColumn"},
	"D41 JSON keeps order and numbers, raw is one key away": {"views/TestPrettyKeepsNumbersAndOrder", "TestPayloadsAsTheyAreStored", "TestSecretsAreMaskedUntilAskedFor"},
	"D42 overlays have a height, and say where one is":      {"TestDialogsAlwaysShowTheirKeys", "TestEveryFrameHasItsSize", "TestTextIsFollowedToItsEnd"},
	"D43 no terminal, no screen":                            {"cmd/weft-tui/TestScript"},
	"D44 exit codes":                                        {"cmd/weft-tui/TestExitCode"},
	"D45 one line remains":                                  {"TestEndings", "TestTitleAndFarewellAreCleaned"},
}

// TestNoRuleIsForgotten: the rules of interaction are numbered, and each has a row.
func TestNoRuleIsForgotten(t *testing.T) {
	rows := map[string]bool{}
	for rule := range rules {
		number, _, _ := strings.Cut(rule, " ")
		rows[number] = true
	}
	for n := 1; n <= 45; n++ {
		if !rows[fmt.Sprint("D", n)] {
			t.Errorf("rule %d has no row", n)
		}
	}
	for _, part := range []string{"B1", "B2", "B3", "B4", "B5", "C", "E"} {
		if !rows[part] {
			t.Errorf("%s has no row", part)
		}
	}
}

// TestRulesHaveTheirTests: a promise whose test is renamed or dropped is noticed.
func TestRulesHaveTheirTests(t *testing.T) {
	known := map[string]bool{}
	for prefix, dir := range map[string]string{"": ".", "views/": "../views", "keymap/": "../keymap", "config/": "../config", "cmd/weft-tui/": "../cmd/weft-tui"} {
		files, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") {
					known[prefix+fn.Name.Name] = true
				}
			}
		}
	}
	for rule, tests := range rules {
		if len(tests) == 0 {
			t.Errorf("%q has no test", rule)
		}
		for _, name := range tests {
			if !known[name] {
				t.Errorf("%q: there is no test %s", rule, name)
			}
		}
	}
}

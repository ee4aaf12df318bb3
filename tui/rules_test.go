package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// rules are what the console promises, with the tests that break when a promise
// is broken. Tests of other packages are named with their folder.
var rules = map[string][]string{
	"a run is addressed by id and run id":               {"TestCancelHitsTheRunTheDialogNames", "TestSignalGoesToTheRunTheFormNames"},
	"a dialog freezes what it acts on":                  {"TestBulkActsTouchExactlyWhatWasFrozen", "TestDialogTellsTheNewTruthAndWantsANewKey"},
	"late answers are dropped":                          {"TestLateAnswersAreDropped"},
	"an own act is shown until it is confirmed":         {"TestAnswerOfAnActThatTakesLong", "TestFormKeepsEverythingWhenTheActFails", "TestOutcomeThatIsNotKnownIsSaidSo"},
	"one instant for a frame, and clocks that differ":   {"TestFrozenConsoleDrawsTheSameFrame", "TestClocksThatDifferAreAProblem", "views/TestDurationsAndSizes"},
	"the lease counts down by our clock, and says so":   {"TestLeaseIsCountedDownByOurClock", "TestGoldenFrames"},
	"times relative, local, UTC; exports in UTC":        {"TestTimesByAClock", "TestExportOfARun"},
	"nothing moves under the reader":                    {"TestNewRowsAreCountedUntilTakenIn", "TestListFollowsAtTheTop", "TestCursorStaysOnItsRunWhileEverythingChanges"},
	"esc goes one step":                                 {"TestEscapeGoesOneStep", "TestFamilyLeadsOnAndBack"},
	"a row that left stays until the cursor leaves":     {"TestRowThatLeftStaysDimmedUntilTheCursorLeaves"},
	"without a row there are no acts":                   {"TestRefusalsSayWhy", "TestExportThatFails", "TestEmptyListsOfferNoRowKeys"},
	"hidden marks are counted and listed first":         {"TestHiddenMarksAreSaidFirst", "TestListsAreRemembered"},
	"marks, dialogs and fields hold the list":           {"TestOpenDialogHoldsTheList", "TestHeldListsSayHowMuchWaits"},
	"counts come from one snapshot":                     {"TestCountsComeFromOneSnapshot"},
	"what is read anew keeps the order":                 {"TestOrders"},
	"no matches, nothing yet, nothing owed":             {"TestListsWithoutRowsSayWhy", "TestGoldenFrames", "TestFilterWords"},
	"long ids are cut in the middle":                    {"views/TestFitMiddleKeepsTheTail", "TestGoldenFrames"},
	"live, polling, stale, lost":                        {"TestLinkNeverClaimsToBeLive", "TestPollingReadsTheListsWithoutASubscription"},
	"unknown is unknown":                                {"TestUnknownIsNeverGreen", "TestGoldenFrames", "TestLinkNeverClaimsToBeLive"},
	"deposed: nothing can be changed":                   {"TestNothingCanBeChangedWithoutTheLease", "TestNoCommandActsWithoutTheLease", "TestEndings"},
	"owed is amber, long owed and dead are red":         {"TestOwedIsAmberAndLongOwedIsRed", "TestSettingsChangeWhileTheConsoleIsOpen", "TestColouredFrameOfEachTheme"},
	"problems stand, results pass":                      {"TestClocksThatDifferAreAProblem", "TestSettingsThatAreUnfitAtTheStartAreAProblem"},
	"similar events are one line":                       {"TestFeedCollapsesWhatIsSimilar", "TestFeedCollapsesWhatIsSimilarAmongOthers"},
	"retry makes no second attempt":                     {"TestActsThatDoNotFitAreRefusedWithTheReason"},
	"attempts, delays and horizons are shown":           {"TestWaitingForATeardownIsADecision", "TestGoldenFrames"},
	"a type of another build is held":                   {"TestHeldTeardownsAreAProblemWithTheirNumber", "TestGoldenFrames", "TestActsThatDoNotFitAreRefusedWithTheReason"},
	"redrive is conditional":                            {"TestDialogTellsTheNewTruthAndWantsANewKey"},
	"dead letters have no cap":                          {"TestDeadLettersHaveNoCap"},
	"the teardown is named before the act":              {"TestKeysEndAndMendRuns", "TestGoldenShapes"},
	"what an owed teardown blocks says so":              {"TestActsThatDoNotFitAreRefusedWithTheReason", "TestRefusalLeadsToWhatBlocks", "TestRefusalThatIsOverLeadsNowhere"},
	"key, palette, menu and word, one gate":             {"TestEveryActionHasAWord", "TestMenuPassesTheSameGate", "TestPaletteOffersWhatThePlaceDoes", "TestNoCommandActsWithoutTheLease"},
	"a disabled key answers with its reason":            {"TestRefusalsSayWhy", "TestHelpListsAllKeysWithTheirReasons"},
	"hints name the keys there are":                     {"TestHintsNameTheKeysThereAre", "TestSignsNameTheKeysThereAre", "TestStaleHintsAreFound"},
	"text fields own their keys":                        {"keymap/TestLettersAreTextWhereTextIsOwned", "keymap/TestCtrlCWorksEverywhere"},
	"/ filters while typing, a bad one keeps the last":  {"TestFilterWaitsForTypingToRest", "TestFilterThatCannotBeReadKeepsTheLastGoodOne", "TestFilterWords"},
	"the filter sees whole values, and the case rule":   {"TestFilterWords", "views/TestParseFilter"},
	"y counts once, and repeats behind a backlog never": {"TestGuards", "TestRepeatsBehindABacklogAreDropped", "TestBacklogEndsWithARest", "TestTextIsNeverDropped"},
	"the click that focuses does nothing":               {"TestMouseAcceptsNothing"},
	"the footer shows what fits":                        {"TestEveryFrameHasItsSize", "TestFooterOfWhatIsReadTellsItsOwnKeys", "TestHelpIsNotCut"},
	"stored text is sanitised":                          {"TestStoredTextNeverReachesTheTerminalRaw", "views/TestClean", "TestExportOfARun"},
	"status is letter, word and colour":                 {"TestColouredFrameOfEachTheme"},
	"JSON keeps order and numbers, raw is one key away": {"views/TestPrettyKeepsNumbersAndOrder", "TestPayloadsAsTheyAreStored", "TestSecretsAreMaskedUntilAskedFor"},
	"overlays have a height, and say where one is":      {"TestEveryFrameHasItsSize", "TestTextIsFollowedToItsEnd"},
	"no terminal, no screen":                            {"cmd/weft-tui/TestScript"},
	"exit codes":                                        {"cmd/weft-tui/TestExitCode"},
	"one line remains":                                  {"TestEndings", "TestTitleAndFarewellAreCleaned"},

	"guards: 300 ms, repeats, paste, size and focus": {"TestGuards", "TestPasteGoesToTextFieldsOnly", "TestExportNeverOverwritesUnasked"},
	"leaving: drain, abandon, stay, three ctrl+c":    {"TestLeaving", "TestThirdInterruptWithinTwoSecondsEndsAtOnce", "TestSlowInterruptsNeverEndAtOnce", "TestSessionGoesToTheShellAndBack"},
	"shapes and their hysteresis":                    {"TestGoldenShapes", "TestShapesDoNotFlicker", "TestStormOfSizes", "TestSmallScreenKeepsItsState"},
}

// TestRulesHaveTheirTests: a promise whose test is renamed or dropped is noticed.
func TestRulesHaveTheirTests(t *testing.T) {
	known := map[string]bool{}
	for prefix, dir := range map[string]string{"": ".", "views/": "../views", "keymap/": "../keymap", "cmd/weft-tui/": "../cmd/weft-tui"} {
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

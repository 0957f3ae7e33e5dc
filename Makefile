# Needs the Swift toolchain, make and git; `tools/need` sees to the rest.

SWIFT ?= swift
FOLDER ?= .
ARGS ?=
# A tenth of what `make long` runs.
PIPELINES ?= 22000
PORT ?= 8000

# A test that waits for ever is ended and named.
TEST = tools/watched $(SWIFT) test

# Each kind of build has a folder of its own, so that none throws away what another has built.
SANITIZED = --sanitize=thread -Xswiftc -warnings-as-errors --scratch-path .build/thread-sanitizer
ADDRESSES = --sanitize=address --package-path .build/memory --scratch-path .build/address-sanitizer
OPTIMISED = -c release -Xswiftc -warnings-as-errors --scratch-path .build/optimised
SOURCES = Package.swift Sources Examples Tests tools Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests \
	Benchmarks/Peers/Package.swift Benchmarks/Peers/Sources
# The tests of the benchmarks import nothing `@testable`, so that they and the benchmarks are one build.
BENCHMARKS = -c release -Xswiftc -warnings-as-errors --package-path Benchmarks

# The manifest leaves out a module that needs a system library where its header is missing, even after `need`, and where
# the environment says so.
without = $(shell $$(command -v clang || echo cc) -E -include $(1) -x c /dev/null >/dev/null 2>&1 || echo 1)
ifndef INTERFLOW_WITHOUT_SQLITE
export INTERFLOW_WITHOUT_SQLITE = $(call without,sqlite3.h)
endif
ifndef INTERFLOW_WITHOUT_NATS
export INTERFLOW_WITHOUT_NATS = $(call without,nats/nats.h)
endif
# The server that the tests of InterflowNATS start.
export NATS_SERVER ?= $(CURDIR)/.build/tools/usr/sbin/nats-server

.DEFAULT_GOAL := help
.PHONY: help help-all need need-build demo demo-cluster soak quick test test-package test-client check check-format check-mutations check-exclusivity \
	check-threads check-clients check-memory check-traits check-diagrams check-documentation check-tutorial documentation check-examples check-cluster check-api check-benchmarks check-models long \
	long-stress long-traits mutations bench bench-peers bench-chart bench-instructions bench-clients format docs docs-serve diagrams api

# What one needs in most weeks. The parts of `check` and the rest are for those who work on them.
COMMON = demo|test|check|quick|docs|bench|format|long
help: ## what there is to make
	@$(MAKE) --no-print-directory help-all | grep -E '^  make ($(COMMON)) '
	@echo '  make help-all             what else there is'

help-all:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 28

# What every build needs.
need-build:
	@tools/need

# And what InterflowNATS and its tests need.
need:
	@tools/need /usr/include/nats/nats.h:libnats-dev openssl

# The second time, only what has changed is read, where there is SQLite.
demo: need-build ## index a folder: make demo FOLDER=/usr/include ARGS='--jobs 4'
	$(SWIFT) run file-index $(if $(INTERFLOW_WITHOUT_SQLITE),,--database .build/demo.sqlite) $(ARGS) "$(FOLDER)"

demo-cluster: need ## the same with workers in other processes, over three NATS servers of which one is killed
	@[ -z "$$INTERFLOW_WITHOUT_NATS" ] || { echo "make demo-cluster: the header of NATS's library is missing (Debian: libnats-dev)"; exit 1; }
	@tools/need python3
	@tools/need-nats-server
	@tools/need-nats-server --found || { echo "make demo-cluster: there is no NATS server"; exit 1; }
	$(SWIFT) build --product file-index-cluster
	tools/demo-cluster "$$($(SWIFT) build --show-bin-path)/file-index-cluster" "$(FOLDER)" $(ARGS)

soak: need-build ## send ten million values over every bridge: make soak ARGS=100000000
	$(SWIFT) run $(OPTIMISED) DayInAMinute $(ARGS)

quick: need ## for daily work: lint, build and test what differs from the main branch
	tools/quick $(ARGS)

test: test-package test-client ## run the tests
	@[ -z "$$INTERFLOW_WITHOUT_SQLITE" ] || echo "make test: InterflowSQLite was left out, because SQLite's header is missing (Debian: libsqlite3-dev)"
	@[ -z "$$INTERFLOW_WITHOUT_NATS" ] || echo "make test: InterflowNATS was left out, because the header of NATS's library is missing (Debian: libnats-dev)"
	@tools/need-nats-server --found || echo "make test: the tests of InterflowNATS were left out, because there is no NATS server"

# One part after the other. Requests have a minute for their answer, of which a busy machine may leave them none.
REQUESTS = DataTaskPublisherTests|URLBytesTests|URLSessionBytes
# Each test of InterflowNATS has a server of its own, or three; the checks of publishers, of which these modules' tests have
# many, have threads and deadlines.
VERIFICATIONS = '^(InterflowTestingTests|InterflowTracingTests|CombineOperatorsTests)'
# Where nobody may download a server, and there is none, what needs one is left out; `need-nats-server` has named it.
NO_SERVER = ! tools/need-nats-server --found
FEW_AT_A_TIME = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
define in_parts
	$(3) $(TEST) $(1) --skip '^(StressTests|ModelCheckingTests|InterflowTestingTests|InterflowTracingTests|CombineOperatorsTests|InterflowNATSTests)|$(REQUESTS)'
	$(if $(INTERFLOW_WITHOUT_NATS),,$(NO_SERVER) || $(FEW_AT_A_TIME) $(TEST) $(1) --skip-build --filter '^InterflowNATSTests')
	for part in '$(REQUESTS)' $(2); do $(FEW_AT_A_TIME) $(TEST) $(1) --skip-build --filter "$$part" || exit 1; done
endef

test-package: need
	@tools/need-nats-server --with-current
	$(call in_parts,,'^StressTests' '^ModelCheckingTests' $(VERIFICATIONS))

test-client: need ## build and run a package that depends on this one
	tools/check-client

# One part after the other: most use all cores, or have deadlines. Last, two at a time, those that mostly use one.
check: need ## everything else that must hold, with few cases of the random tests
	$(MAKE) check-format check-mutations check-threads check-clients check-memory check-traits check-examples check-cluster check-benchmarks
	$(MAKE) --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) check-documentation check-api bench-instructions check-tutorial check-diagrams

check-format: need ## the layout of the sources, a comment on every public declaration, links that lead somewhere, and imports that the manifest names
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@tools/need python3
	tools/check-links
	tools/check-words --check
	tools/check-words
	tools/rehearse-release --texts
	tools/draw-architecture --check

check-mutations: need ## every mistake of the list can be made
	tools/mutations --check

# In a copy in which every access to a property is checked: one build finds both. The random pipelines run on one thread,
# so they are few. All tests at once take ThreadSanitizer almost twice as long as few at a time.
CHECKED = --package-path .build/checked $(SANITIZED) -Xswiftc -enforce-exclusivity=checked
check-threads: export TSAN_OPTIONS = suppressions="$(CURDIR)/tools/thread-sanitizer.suppressions"
check-threads: need ## no warning, and the tests under ThreadSanitizer with every access to a property checked
	@tools/need-nats-server --with-current
	tools/checked-copy .build/checked
	$(call in_parts,$(CHECKED),'^StressTests' $(VERIFICATIONS),$(FEW_AT_A_TIME))
	INTERFLOW_MODEL_COUNT=500 $(TEST) $(CHECKED) --skip-build --filter '^ModelCheckingTests'

check-exclusivity: check-threads

check-clients: need ## a client's ThreadSanitizer has nothing to report, and what is missing is named
	tools/check-set-up
	tools/check-threads-client

# The bridge, where pointers pass from one world into the other; with fewer random schedules than the tests have. These
# find leaks too, but not those of XCTest, which runs none of them. The other tests have cycles of their own, a publisher
# whose closure sends through it for one, and measure the real stack. SQLite's tests, where they are there, show that
# what C allocates is released; those that start processes are left out, since a `Process` of Foundation is never
# released. NATS's start servers, so leaks are not looked for there.
#
# Of AsyncOperators, the tests that run every operator in random schedules, the engine's, and those of what reads into raw
# memory: the others run the same code in fewer orders.
WHERE_TASKS_MEET = ^(Support|Engine)/|StressTests\.swift$$|AsyncBufferedByteIteratorTests
check-memory: need ## the bridge's, SQLite's and NATS's tests under AddressSanitizer
	@tools/need-nats-server --with-current
	tools/trimmed-package .build/memory StressTests InterflowTests InterflowPrimitivesTests 'AsyncOperatorsTests:$(WHERE_TASKS_MEET)' $(if $(INTERFLOW_WITHOUT_SQLITE),,InterflowSQLiteTests) $(if $(INTERFLOW_WITHOUT_NATS),,InterflowNATSTests)
	INTERFLOW_STRESS_RUNS=500 $(TEST) $(ADDRESSES) --disable-xctest --filter '^StressTests'
	ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0 $(TEST) $(ADDRESSES) --filter '^(InterflowTests|InterflowPrimitivesTests|AsyncOperatorsTests)' --skip '$(REQUESTS)'
	ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0 $(TEST) $(ADDRESSES) --skip-build --filter 'URLBytesTests|URLSessionBytes'
	[ -n "$$INTERFLOW_WITHOUT_SQLITE" ] || INTERFLOW_STRESS_RUNS=200 $(TEST) $(ADDRESSES) --disable-xctest --skip-build --filter '^InterflowSQLiteTests' --skip 'CrashSafetyStressTests|OtherProcessTests'
	[ -n "$$INTERFLOW_WITHOUT_NATS" ] || $(NO_SERVER) || ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0 $(FEW_AT_A_TIME) $(TEST) $(ADDRESSES) --skip-build --filter '^InterflowNATSTests'

# One after the other in one folder: two builds of the same package would hold twice the memory. That the tests pass
# without the adapters is a part of `make long`: they differ in nothing but what is left out.
check-traits: need ## everything builds without the adapters for Foundation, and without those for its networking
	tools/trimmed-package .build/traits
	$(SWIFT) build --disable-index-store --package-path .build/traits --disable-default-traits
	$(SWIFT) build --disable-index-store --package-path .build/traits --traits Foundation

long-traits: need
	tools/trimmed-package .build/traits-tests CombineTests InterflowTests
	$(TEST) --package-path .build/traits-tests --disable-default-traits

check-diagrams: need ## the diagrams of the documentation show what the operators do, and every operator has one
	$(SWIFT) run DrawDiagrams --check

BROWSER = python3 chromium chromedriver:chromium-driver /usr/lib/python3/dist-packages/selenium:python3-selenium \
	/usr/share/fonts/truetype/*:fonts-dejavu-core
check-documentation: documentation ## the documentation builds without a warning, is at hand in three clicks, and a browser draws it
	@tools/need $(BROWSER)
	PATH="/usr/bin:$$PATH" tools/check-site

documentation: need
	tools/build-documentation

check-tutorial: need ## the package of *Getting started*, built, run and tested as the page says
	tools/check-tutorial

PROGRAMS = --package-path Examples/Programs -Xswiftc -warnings-as-errors --scratch-path .build/programs
check-examples: need ## the demo against the standard tools, and the small programs
	$(SWIFT) build --product file-index
	tools/check-examples "$$($(SWIFT) build --show-bin-path)/file-index"
	@tools/need $(BROWSER)
	PATH="/usr/bin:$$PATH" tools/check-trace "$$($(SWIFT) build --show-bin-path)/file-index"
	$(SWIFT) build $(PROGRAMS)
	tools/check-programs "$$($(SWIFT) build $(PROGRAMS) --show-bin-path)"

check-cluster: need ## the demo over a cluster, of which a server and a worker are killed, finds what one process finds
	[ -n "$$INTERFLOW_WITHOUT_NATS" ] || { tools/need python3 && tools/need-nats-server; }
	[ -n "$$INTERFLOW_WITHOUT_NATS" ] || $(NO_SERVER) || { \
	  $(SWIFT) build --product file-index-cluster && $(SWIFT) build --product file-index && \
	  bin=$$($(SWIFT) build --show-bin-path) && tools/check-cluster "$$bin/file-index-cluster" "$$bin/file-index"; }

check-api: need ## the public API is the one that is listed, with all that Apple's Combine has, and the other modules use no more than that
	tools/check-api
	tools/check-combine-use

check-benchmarks: need ## every benchmark comes to the right result, and the chart shows the figures that are kept
	@tools/need python3
	tools/draw-benchmarks --check
	tools/bench-peers --check
	$(TEST) $(BENCHMARKS) --disable-testable-imports
	@mkdir -p .build
	$(SWIFT) run $(BENCHMARKS) --skip-build interflow-benchmarks --runs 1 >.build/benchmarks.txt

check-models: need ## many random pipelines, optimised, against a model: make check-models PIPELINES=1000000
	tools/trimmed-package .build/models ModelCheckingTests
	INTERFLOW_MODEL_COUNT=$(PIPELINES) $(SWIFT) test -c release -Xswiftc -warnings-as-errors --package-path .build/models

# What takes hours on a small machine: once before something large is called done.
long: long-stress long-traits ## the random tests with their full counts, and all mistakes of the list
	tools/rehearse-release
	tools/check-plannings
	$(MAKE) check-models PIPELINES=220000
	$(MAKE) mutations

# Every suite with Stress in its name. With these counts a suite prints nothing for long.
long-stress: export INTERFLOW_TEST_SILENCE = 14400
long-stress: need
	@tools/need-nats-server --with-current
	INTERFLOW_STRESS_RUNS=10000 INTERFLOW_TURN_SCHEDULES=10000 $(TEST) --filter Stress \
	  $$(tools/need-nats-server --found || echo --skip '^InterflowNATSTests')

mutations: need ## make mistakes in a copy, one at a time, and see whether the tests find each
	tools/mutations

bench: need ## measure: make bench ARGS='--filter zip --runs 9 --json'
	@$(SWIFT) run $(BENCHMARKS) --quiet interflow-benchmarks $(ARGS)

bench-peers: need ## measure the peers too, from checkouts of theirs: make bench-peers ARGS='--opencombine FOLDER'
	@tools/need python3
	tools/bench-peers $(ARGS)

# From figures that are kept: after `make bench-peers` with `--keep` on a quiet machine.
bench-chart: ## draw the benchmarks beside the peers' for the README
	tools/draw-benchmarks

bench-instructions: ## count the instructions of a fixed set, and hold them against the counts that are kept
	@tools/need valgrind strip:binutils
	tools/check-instructions $(ARGS)

bench-clients: need ## what the package costs a client in size and compile time, for each setting of its traits
	@tools/need strip:binutils
	tools/measure-clients $(ARGS)

api: need ## take the public API over into the listings
	tools/check-api --update

format: need ## lay the sources out
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

diagrams: need ## run the operators on virtual time, and draw the diagrams of the documentation
	$(SWIFT) run DrawDiagrams

docs: documentation ## build the documentation, one site of all modules, into .build/documentation

docs-serve: ## serve the documentation that `make docs` has built: make docs-serve PORT=8000
	@tools/need python3
	@PORT=$(PORT) tools/serve-documentation

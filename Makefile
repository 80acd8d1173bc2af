# SPDX-License-Identifier: Apache-2.0
#
# make            build all programs into build/
# make SAN=1      the same with AddressSanitizer and UndefinedBehaviorSanitizer into build-asan/
# make CHAOS=1    the same with places where a test can make a worker die, into build-chaos/
# make test       everything: unit and integration tests, both builds
# make unit       the unit tests alone; make unit-NAME one of them
# make lint       formatting, cppcheck, shellcheck
# make demo       a CloneSet updated in place on a real node; KEEP=1 leaves it running
# make bench      measures, REPLICAS=500
# make chaos      kills children at random while CloneSets roll, KILLS=1000 SEED=1
# make install    programs and systemd units, into PREFIX=/usr
# make help       this list

CC ?= gcc
PKGS := msgpack libzmq lmdb libmicrohttpd libsystemd gnutls libcurl yaml-0.1
VERSION := $(shell cat VERSION 2>/dev/null || echo 0.0.0)

ifeq ($(SAN),1)
B := build-asan
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT := -O1
DEFS := -DKRUISED_CRASH_POINTS
else ifeq ($(CHAOS),1)
B := build-chaos
OPT := -O2
DEFS := -DKRUISED_CRASH_POINTS
else
B := build
OPT := -O2
endif

CFLAGS ?= -g
WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wvla -Wformat=2 -Wno-format-nonliteral -Wno-format-truncation
ALL_CFLAGS := -std=gnu11 $(OPT) $(CFLAGS) $(WARN) $(SANFLAGS) -fstack-protector-strong -fPIE \
	-D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -DKRUISED_VERSION='"$(VERSION)"' $(DEFS) -I. \
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null)
ifeq ($(SAN),1)
ALL_CFLAGS := $(filter-out -D_FORTIFY_SOURCE=2,$(ALL_CFLAGS))
endif
ALL_LDFLAGS := $(LDFLAGS) $(SANFLAGS) -pie -Wl,-z,relro,-z,now -Wl,--as-needed
# the children's system call filter is left out where libseccomp is not installed (SECCOMP=0 too)
ifneq ($(SECCOMP),0)
ifeq ($(shell pkg-config --exists libseccomp 2>/dev/null && echo 1),1)
SECCOMP_LIBS := $(shell pkg-config --libs libseccomp)
$(B)/obj/supervisor/seccomp.o: ALL_CFLAGS += -DHAVE_SECCOMP $(shell pkg-config --cflags libseccomp)
endif
endif
LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm -lpthread

# A folder's sources make a library; a program is its main file and the libraries it names.
lib_src = $(sort $(wildcard $(1)/*.c) $(wildcard $(1)/*/*.c))
BASE_SRC := $(call lib_src,ipc/base)
IPC_SRC := $(wildcard ipc/*.c)
KUBE_SRC := $(call lib_src,kube)
RULES_SRC := $(call lib_src,rules)
RUNTIME_SRC := $(call lib_src,workers/runtime)
WORKERS_SRC := $(filter-out $(RUNTIME_SRC),$(call lib_src,workers))
WATCHER_SRC := $(call lib_src,watcher)
WEBHOOKD_SRC := $(call lib_src,webhookd)
KRUISECTL_SRC := $(wildcard supervisor/kruisectl*.c)
SUPERVISOR_SRC := $(filter-out $(KRUISECTL_SRC),$(wildcard supervisor/*.c))
NODESIM_SRC := $(wildcard tests/cluster/nodesim/*.c)
BENCH_SRC := $(wildcard tests/bench/*.c)
CHAOS_SRC := $(wildcard tests/chaos/*.c)
UNIT_SRC := $(wildcard tests/unit/test_*.c)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))

LIBBASE := $(B)/libbase.a
LIBIPC := $(B)/libipc.a
LIBKUBE := $(B)/libkube.a
LIBRULES := $(B)/librules.a
LIBRUNTIME := $(B)/libruntime.a
# archives in link order; groups resolve the mutual references of ipc and kube
ARCHIVES := -Wl,--start-group $(LIBRUNTIME) $(LIBRULES) $(LIBKUBE) $(LIBIPC) $(LIBBASE) -Wl,--end-group
ALL_LIBS := $(LIBBASE) $(LIBIPC) $(LIBKUBE) $(LIBRULES) $(LIBRUNTIME)

PROGRAMS := $(B)/kruised $(B)/kruisectl $(B)/kruise-watcher $(B)/kruise-worker $(B)/kruise-webhookd
TEST_PROGRAMS := $(B)/nodesim $(B)/kruise-bench $(B)/kruise-chaos $(B)/test-client $(B)/test-steady $(B)/test-proxy

.PHONY: all programs tools unit
.DEFAULT_GOAL := all
all: programs tools
programs: $(PROGRAMS)
tools: $(TEST_PROGRAMS)

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

define archive
	@rm -f $@
	@ar rcs $@ $^
endef
$(LIBBASE): $(call obj,$(BASE_SRC))
	$(archive)
$(LIBIPC): $(call obj,$(IPC_SRC))
	$(archive)
$(LIBKUBE): $(call obj,$(KUBE_SRC))
	$(archive)
$(LIBRULES): $(call obj,$(RULES_SRC))
	$(archive)
$(LIBRUNTIME): $(call obj,$(RUNTIME_SRC))
	$(archive)

define link
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(ARCHIVES) $(LIBS)
endef
$(B)/kruised: LIBS += $(SECCOMP_LIBS)
$(B)/kruised: $(call obj,$(SUPERVISOR_SRC)) $(ALL_LIBS)
	$(link)
$(B)/kruisectl: $(call obj,$(KRUISECTL_SRC)) $(ALL_LIBS)
	$(link)
$(B)/kruise-watcher: $(call obj,$(WATCHER_SRC)) $(ALL_LIBS)
	$(link)
$(B)/kruise-worker: $(call obj,$(WORKERS_SRC)) $(ALL_LIBS)
	$(link)
$(B)/kruise-webhookd: $(call obj,$(WEBHOOKD_SRC)) $(ALL_LIBS)
	$(link)
$(B)/nodesim: $(call obj,$(NODESIM_SRC)) $(ALL_LIBS)
	$(link)
$(B)/kruise-bench: $(call obj,$(BENCH_SRC)) $(ALL_LIBS)
	$(link)
$(B)/kruise-chaos: $(call obj,$(CHAOS_SRC)) $(ALL_LIBS)
	$(link)

$(B)/test-client: $(call obj,tests/integration/client.c) $(ALL_LIBS)
	$(link)
$(B)/test-steady: $(call obj,tests/integration/steady.c) $(ALL_LIBS)
	$(link)
$(B)/test-proxy: $(call obj,tests/faults/proxy.c) $(ALL_LIBS)
	$(link)

# Unit tests: each tests/unit/test_X.c is one cmocka program. `make unit` runs them from the repo's root.
UNIT_BIN := $(patsubst tests/unit/%.c,$(B)/unit/%,$(UNIT_SRC))
$(B)/unit/%: $(B)/obj/tests/unit/%.o $(ALL_LIBS)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $< $(ARCHIVES) $(LIBS) -lcmocka
.SECONDARY: $(call obj,$(UNIT_SRC))
.PHONY: unit-build
unit-build: $(UNIT_BIN)
unit: $(UNIT_BIN)
	@tests/unit/run $(UNIT_BIN)

# (make unit-X builds and runs tests/unit/test_X.c alone)
unit-%: $(B)/unit/test_%
	$<

# Fuzz targets: tests/fuzz/fuzz_X.c becomes build-fuzz/fuzz_X (clang and libFuzzer). Each needs the libraries,
# and the handlers of webhookd, instrumented: they are compiled once.
F := build-fuzz
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(F)/%,$(FUZZ_SRC))
FUZZ_LIB_SRC := $(BASE_SRC) $(IPC_SRC) $(KUBE_SRC) $(RULES_SRC) webhookd/admission.c webhookd/handlers.c \
	webhookd/cloneset.c
FUZZ_CFLAGS = $(filter-out -fPIE -Wno-format-truncation $(SANFLAGS),$(ALL_CFLAGS)) -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
$(F)/obj/%.o: %.c
	@mkdir -p $(@D)
	@clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@
$(F)/libfuzzed.a: $(patsubst %.c,$(F)/obj/%.o,$(FUZZ_LIB_SRC))
	$(archive)
$(F)/%: $(F)/obj/tests/fuzz/%.o $(F)/libfuzzed.a
	@echo "  FUZZ $@"
	@clang -fsanitize=fuzzer,address,undefined -o $@ $< $(F)/libfuzzed.a $(LIBS)
.SECONDARY: $(patsubst %.c,$(F)/obj/%.o,$(FUZZ_SRC))
.PHONY: fuzz-build
fuzz-build: $(FUZZ_BIN)

# These are scripts, since they start on machines that lack what building needs.
.PHONY: test demo bench chaos lint help
test:
	@tests/all
demo: export KEEP ?= 0
demo:
	@tests/e2e/demo
REPLICAS ?= 500
bench:
	@tests/bench/run $(REPLICAS)
KILLS ?= 1000
SEED ?= 1
chaos:
	@$(MAKE) --no-print-directory -s CHAOS=1 programs tools
	@tests/chaos/run $(KILLS) $(SEED)
lint:
	@tests/lint
help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

PREFIX ?= /usr
DESTDIR ?=
.PHONY: install
install: programs
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/kruised
	install -m 755 $(B)/kruisectl $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $(B)/kruised $(B)/kruise-watcher $(B)/kruise-worker $(B)/kruise-webhookd \
		$(DESTDIR)$(PREFIX)/libexec/kruised/
	ln -sf ../libexec/kruised/kruised $(DESTDIR)$(PREFIX)/bin/kruised
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's,/usr/libexec,$(PREFIX)/libexec,; s,/usr/bin,$(PREFIX)/bin,' packaging/systemd/kruised.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/system/kruised.service
	install -m 644 packaging/systemd/kruised.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/

clean:
	rm -rf build build-asan build-chaos build-fuzz
.PHONY: clean

-include $(shell find $(B)/obj build-fuzz/obj -name '*.d' 2>/dev/null)

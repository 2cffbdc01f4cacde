# A thin front to CMake. PREFIX and DESTDIR count for install, BUILD is the
# folder to build in.
BUILD ?= build
PREFIX ?= /usr/local

# -jN of make, if it was given, is one for ninja and ctest.
jobs = $(patsubst -j,,$(filter -j%,$(MAKEFLAGS)))

all: $(BUILD)/build.ninja
	cmake --build $(BUILD) -- $(jobs)

$(BUILD)/build.ninja:
	cmake -S . -B $(BUILD) -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX)

check: all
	ctest $(jobs) --test-dir $(BUILD) --output-on-failure -LE slow

check-all: all
	ctest $(jobs) --test-dir $(BUILD) --output-on-failure

install: all
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

fmt:
	sh tools/check-text.sh files '*.[ch]' | xargs clang-format -i

clean:
	rm -rf $(BUILD)

.PHONY: all check check-all install fmt clean

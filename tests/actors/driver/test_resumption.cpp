#include <doctest/doctest.h>

#include <filesystem>

#include "actors/driver/checkpoints/resumption.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;

namespace {

using Paths = std::vector<std::string>;

/// Loads all checkpoints except the damaged ones, and records the paths.
struct Loading {
  Paths damaged = {};
  Paths tried = {};

  void operator()(const std::string& path) {
    tried.push_back(path);
    for (const std::string& each : damaged)
      if (path == each) throw Error(ErrorCode::bad_file, "its checksum does not match", {.object = path});
  }
};

}  // namespace

TEST_CASE("resuming loads the newest intact checkpoint, and reports and sets aside newer damaged ones") {
  const troupe_test::TemporaryFolder folder;
  Options options;
  options.checkpoint.folder = folder / "run";
  const Paths saved{folder / "run/step-00000003", folder / "run/step-00000002", folder / "run/step-00000001"};
  for (const std::string& path : saved) std::filesystem::create_directories(path);
  Loading loading{{saved[0], saved[1]}};
  const troupe_test::CapturedErrors errors;
  const auto load = [&](const std::string& path) { loading(path); };
  CHECK(load_first_good(options, saved, load) == saved[2]);
  CHECK(loading.tried == saved);
  CHECK(errors.text().find(saved[0] + " is damaged") != std::string::npos);
  for (const std::string step : {"step-00000003", "step-00000002"}) {
    CHECK_FALSE(std::filesystem::exists(folder / ("run/" + step)));
    CHECK(std::filesystem::exists(folder / ("run/damaged-" + step)));
  }
  CHECK(std::filesystem::exists(saved[2]));
}

TEST_CASE("if no checkpoint is intact, resuming changes none of them, and other errors propagate") {
  const troupe_test::TemporaryFolder folder;
  Options options;
  options.checkpoint.folder = folder / "run";
  const Paths saved{folder / "run/step-00000002"};
  std::filesystem::create_directories(saved[0]);
  Loading loading{saved};
  const troupe_test::CapturedErrors errors;
  CHECK_FALSE(load_first_good(options, saved, [&](const std::string& path) { loading(path); }));
  CHECK(std::filesystem::exists(saved[0]));
  CHECK_FALSE(load_first_good(options, {}, [](const std::string&) {}));
  const auto refuse = [](const std::string&) { throw Error(ErrorCode::model_mismatch, "another seed"); };
  CHECK(code_of([&] { load_first_good(options, saved, refuse); }) == ErrorCode::model_mismatch);
}

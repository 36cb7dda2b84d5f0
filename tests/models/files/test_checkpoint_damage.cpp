#include <doctest/doctest.h>

#include <string>

#include "models/files/checkpoints.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

const Names kFiles{"manifest.json", "state.safetensors", "weights.safetensors"};

/// A checkpoint with one modified file.
class Damaged {
 public:
  explicit Damaged(const std::string& file) : file_(folder_ / ("c/" + file)) {
    save(folder_ / "c", 7);
    whole_ = read_file(file_);
  }

  const std::string& whole() const { return whole_; }
  /// Checks that loading fails with an error that contains the file and `what`.
  void check(const std::string& bytes, const std::string& what = "") const {
    write_file(file_, bytes);
    check_throws(ErrorCode::bad_file, file_, [&] { load(folder_ / "c"); });
    check_throws(ErrorCode::bad_file, what, [&] { load(folder_ / "c"); });
  }
  void check_missing() const {
    std::filesystem::remove(file_);
    check_throws(ErrorCode::bad_file, file_, [&] { load(folder_ / "c"); });
  }

 private:
  TemporaryFolder folder_;
  std::string file_;
  std::string whole_;
};

}  // namespace

TEST_CASE("a checkpoint with a truncated, longer or missing file is refused") {
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    const Damaged file(name);
    for (std::size_t part = 0; part < 16; ++part) file.check(file.whole().substr(0, file.whole().size() * part / 16));
    file.check(file.whole().substr(0, file.whole().size() - 2));
    file.check(file.whole() + "x");
    file.check_missing();
  }
}

TEST_CASE("the error about a damaged checkpoint names the damaged tensor") {
  const Damaged weights("weights.safetensors");
  std::string bytes = weights.whole();
  bytes.back() ^= 1;
  weights.check(bytes, "'b'");
  const Damaged state("state.safetensors");
  bytes = state.whole();
  bytes[bytes.size() - 5] ^= 1;
  state.check(bytes, "'v/a.weight'");
}

TEST_CASE("files of two checkpoints cannot be mixed") {
  const TemporaryFolder other;
  save(other / "c", 8);
  for (const std::string& name : kFiles) {
    CAPTURE(name);
    const TemporaryFolder folder;
    save(folder / "c", 7);
    write_file(folder / ("c/" + name), read_file(other / ("c/" + name)));
    check_throws(ErrorCode::bad_file, "damaged", [&] { load(folder / "c"); });
  }
}

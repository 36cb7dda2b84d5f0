#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>

#include "models/files/checkpoints.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/random.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Returns whether to run the long version, as the soak test does.
bool is_long() { return std::getenv("TROUPE_SOAK") != nullptr; }

std::vector<float> drawn(std::size_t floats, std::uint64_t stream) {
  Random random(1, stream);
  std::vector<float> values(floats);
  for (float& value : values) value = random.uniform();
  return values;
}

/// Saves a checkpoint with tensors "t0", "t1" and so on of equal length and with two vectors of state.
void save_drawn(const std::string& path, int tensors, std::int64_t floats_each) {
  std::vector<TensorInfo> all;
  for (int i = 0; i < tensors; ++i) all.push_back({"t" + std::to_string(i), {floats_each}});
  CheckpointManifest manifest = example_manifest(7);
  manifest.metric = {0.1 + 0.2, kHighest};  // a fraction with the maximal number of digits
  CheckpointWriter writer(path, manifest, all);
  for (std::uint64_t vector = 0; vector < 3; ++vector) writer.add(drawn(total_size(all), vector));
  writer.commit();
}

/// A file to flip bits in, in place.
class BitFile {
 public:
  explicit BitFile(const std::string& path)
      : bytes_(read_file(path)), file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {}

  std::size_t bits() const { return 8 * bytes_.size(); }
  void flip(std::size_t bit) { put(bit, static_cast<char>(bytes_[bit / 8] ^ (1 << (bit % 8)))); }
  void restore(std::size_t bit) { put(bit, bytes_[bit / 8]); }

 private:
  void put(std::size_t bit, char byte) { REQUIRE(::pwrite(file_.get(), &byte, 1, static_cast<off_t>(bit / 8)) == 1); }

  std::string bytes_;
  FileDescriptor file_;
};

/// Returns the error about a checkpoint, or "" if the checkpoint is valid.
std::string complaint(const std::string& path) try {
  CheckpointReader(path).verify();
  return "";
} catch (const Error& error) {
  return error.code() == ErrorCode::bad_file ? error.what() : "";
}

/// Returns the offset of the tensors in a file, after its header.
std::size_t header_bytes(const std::string& file) { return SafetensorsFile(file).header_bytes(); }

constexpr std::array kFlippedFiles{kWeightsFile, kStateFile, kManifestFile};

}  // namespace

TEST_CASE("every single bit that is flipped in a checkpoint is detected, with the name of file and tensor") {
  const TemporaryFolder folder(fast_parent());
  const std::string path = folder / "c";
  constexpr std::size_t kTensors = 2;
  const std::int64_t floats_each = is_long() ? 2700 : 4;
  save_drawn(path, kTensors, floats_each);
  std::size_t bytes = 0;
  for (const char* const name : kFlippedFiles) {
    CAPTURE(name);
    BitFile file(path + "/" + name);
    bytes += file.bits() / 8;
    const bool is_weights = name == std::string(kWeightsFile);
    const std::size_t data = name == std::string(kManifestFile) ? file.bits() : 8 * header_bytes(path + "/" + name);
    for (std::size_t bit = 0; bit < file.bits(); ++bit) {
      file.flip(bit);
      const std::string said = complaint(path);
      file.restore(bit);
      CAPTURE(bit);
      REQUIRE(said.find(name) != std::string::npos);
      if (bit < data) continue;
      const std::size_t tensor = (bit - data) / 32 / static_cast<std::size_t>(floats_each);
      const std::string named = (is_weights          ? "'t"
                                 : tensor < kTensors ? "'m/t"
                                                     : "'v/t") +
                                std::to_string(tensor % kTensors) + "'";
      REQUIRE(said.find(named) != std::string::npos);
    }
  }
  CHECK(complaint(path).empty());
  if (is_long()) CHECK(bytes >= 64 << 10);
}

/// Flips one bit in each tensor at a time: each tensor has its own checksum.
TEST_CASE("random bits drawn from a large checkpoint are detected when flipped, with the names of all their tensors") {
  const TemporaryFolder folder(fast_parent());
  const std::string path = folder / "c";
  constexpr std::size_t kTensors = 500;
  const std::size_t floats_each = is_long() ? 8'700 : 870;
  const std::size_t rounds = is_long() ? 70 : 2;  // 105,000 samples of 52 MB
  save_drawn(path, static_cast<int>(kTensors), static_cast<std::int64_t>(floats_each));
  BitFile weights(path + "/" + kWeightsFile);
  BitFile state(path + "/" + kStateFile);
  const std::uint64_t seed = is_long() ? std::random_device()() : 1;
  CAPTURE(seed);
  Random random(seed);
  const auto flip_each = [&](BitFile& file, const char* name, std::size_t tensors) {
    const std::size_t data = 8 * header_bytes(path + "/" + name);
    std::vector<std::size_t> bits;
    for (std::size_t i = 0; i < tensors; ++i)
      bits.push_back(data + 32 * floats_each * i + random.below(32 * floats_each));
    for (const std::size_t bit : bits) file.flip(bit);
    return bits;
  };
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto of_weights = flip_each(weights, kWeightsFile, kTensors);
    const auto of_state = flip_each(state, kStateFile, 2 * kTensors);
    const CheckpointReader reader(path);
    CHECK(reader.damaged_weights().size() == kTensors);
    CHECK(reader.damaged_state().size() == 2 * kTensors);
    for (const std::size_t bit : of_weights) weights.restore(bit);
    for (const std::size_t bit : of_state) state.restore(bit);
  }
  CHECK(complaint(path).empty());
}

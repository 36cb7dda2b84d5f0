#include "models/files/checkpoint/weights_of.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/checkpoint/series.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Returns the path of the file kTensorsFile in the Trainer's checkpoint with the highest number in `folder`; empty if
/// there is no such checkpoint.
std::string newest_tensors(const fs::path& folder) {
  std::int64_t newest = 0;
  std::string tensors;
  std::error_code ignored;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, ignored)) {
    const std::int64_t number = trainer_checkpoint_number(each.path().filename().string());
    if (number <= newest || !is_there(each.path() / kTensorsFile)) continue;
    newest = number;
    tensors = (each.path() / kTensorsFile).string();
  }
  return tensors;
}

}  // namespace

std::int64_t trainer_checkpoint_number(const std::string& name) {
  const std::string_view prefix = kTrainerCheckpoint;
  if (!name.starts_with(prefix)) return 0;
  std::int64_t number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + prefix.size(), last, number);
  return end == last && error == std::errc() && number > 0 ? number : 0;
}

std::string weights_file_of(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  if (const fs::path weights = fs::path(path) / kWeightsFile; is_there(weights)) return weights;
  if (const fs::path tensors = fs::path(path) / kTensorsFile; is_there(tensors)) return tensors;
  if (std::string tensors = newest_tensors(path); !tensors.empty()) return tensors;
  const std::vector<SavedStep> saved = CheckpointSeries(path).list();
  if (saved.empty()) throw_bad_file(path, "the folder contains neither weights.safetensors nor checkpoints");
  return fs::path(find_checkpoint(saved.front().path)) / kWeightsFile;
}

void copy_weights(const std::string& checkpoint, const std::string& to) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  const InputFile from(weights_file_of(checkpoint));
  OutputFile file(to);
  std::vector<std::byte> piece;
  for (std::uint64_t at = 0; at < from.size(); at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min(kPiece, from.size() - at)));
    from.read(at, piece);
    file.write(piece);
  }
  file.commit();
}

}  // namespace troupe

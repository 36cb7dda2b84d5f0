#include "models/files/checkpoint/writer.hpp"

#include <bit>
#include <utility>

#include "models/files/safetensors_header.hpp"
#include "runtime/hash.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"
#include "troupe/version.hpp"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "floats are written without conversion");

/// Returns `manifest` with the members set that are known before the files are written. Throws Error invalid_argument
/// if the manifest or the header of a file cannot be written: without this check, `commit` would fail only after all
/// vectors have been written.
CheckpointManifest begun(CheckpointManifest manifest, const std::vector<TensorInfo>& tensors,
                         const std::string& network) {
  manifest.troupe = TROUPE_VERSION;
  manifest.fingerprint = fingerprint_of(tensors);
  manifest.weights_file = manifest.state_file = {};
  to_json(manifest);
  make_safetensors_header(tensors, network);
  make_safetensors_header(state_tensors(manifest.state, tensors));
  return manifest;
}

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& path, CheckpointManifest manifest,
                                   std::vector<TensorInfo> tensors, std::string network)
    : tensors_(std::move(tensors)),
      network_(std::move(network)),
      manifest_(begun(std::move(manifest), tensors_, network_)),
      folder_(path) {}

void CheckpointWriter::check(std::span<const float> canonical) const {
  if (added_ > manifest_.state.size())
    throw_invalid("all " + std::to_string(manifest_.state.size()) +
                  " state vectors of the checkpoint have been added already");
  std::size_t floats = 0;
  for (std::size_t i = tensors_added_; i < tensors_.size() && floats < canonical.size(); ++i)
    floats += tensors_[i].size();
  if (floats != canonical.size() || (canonical.empty() && total_size(tensors_) > 0))
    throw_invalid(std::to_string(canonical.size()) + " floats do not end with a tensor of a vector of " +
                  std::to_string(total_size(tensors_)));
}

void CheckpointWriter::add(std::span<const float> canonical) {
  check(canonical);
  const std::vector<std::string>& state = manifest_.state;
  if (added_ == 0 && tensors_added_ == 0) start(kWeightsFile, tensors_, network_, manifest_.weights_file);
  if (added_ == 1 && tensors_added_ == 0) start(kStateFile, state_tensors(state, tensors_), "", manifest_.state_file);
  CheckpointFile& entry = added_ == 0 ? manifest_.weights_file : manifest_.state_file;
  const std::string vector = added_ == 0 ? "" : state[added_ - 1] + "/";
  for (; tensors_added_ < tensors_.size() && tensors_[tensors_added_].size() <= canonical.size(); ++tensors_added_) {
    const auto bytes = std::as_bytes(canonical.first(tensors_[tensors_added_].size()));
    entry.tensors[vector + tensors_[tensors_added_].name] = checksum(bytes);
    file_->write(bytes);
    canonical = canonical.subspan(tensors_[tensors_added_].size());
  }
  if (tensors_added_ < tensors_.size()) return;
  tensors_added_ = 0;
  ++added_;
  if (added_ == 1 || added_ > state.size()) file_->sync();
}

void CheckpointWriter::start(const char* name, const std::vector<TensorInfo>& tensors, const std::string& network,
                             CheckpointFile& entry) {
  const std::string header = make_safetensors_header(tensors, network);
  file_.emplace(folder_.create(name));
  file_->write(std::as_bytes(std::span(header)));
  entry.bytes = header.size() + total_size(tensors) * sizeof(float);
  entry.header = checksum(std::as_bytes(std::span(header)));
}

void CheckpointWriter::commit() {
  if (added_ <= manifest_.state.size())
    throw_invalid("the checkpoint is incomplete: it has " + std::to_string(added_) + " of " +
                  std::to_string(manifest_.state.size() + 1) + " vectors");
  folder_.commit(to_json(manifest_));
}

}  // namespace troupe

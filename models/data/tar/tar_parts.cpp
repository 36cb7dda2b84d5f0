#include "models/data/tar/tar_parts.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "models/data/file_patterns.hpp"
#include "models/data/remote_blocks.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/memory_bytes.hpp"
#include "runtime/http/open_bytes.hpp"
#include "runtime/http/remote_range.hpp"
#include "runtime/http/url.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

std::uint64_t end_of(const TarMember& member) { return member.offset + member.bytes; }

bool is_command(const std::string& name) { return name.starts_with(kPipe); }

std::string command_of(const std::string& name) {
  const char* const allowed = std::getenv(kAllowPipe);
  if (allowed == nullptr || std::string_view(allowed) != "1")
    throw_invalid("tar:" + printable(name, 200) + " was not run: the environment variable " + kAllowPipe +
                  " is not 1 for this process (1 allows data names to run any command)");
  return name.substr(std::string_view(kPipe).size());
}

[[noreturn]] void throw_changed(const TarPart& part) {
  throw_bad_file(part.shown, "the archive has changed since the run began");
}

/// Returns whether a part can be read by ranges from an archive on a server.
bool is_stretch(const TarPart& part) { return is_url(part.name) && part.content == part.file_bytes; }

/// Returns the memory that a part needs, also while it is being read.
std::uint64_t memory_of(const TarPart& part) {
  return is_stretch(part) ? part.bytes() : std::max(part.content, part.file_bytes);
}

/// Returns the content of a part from the bytes [begin, end) of an archive, which was read as a whole if it is
/// compressed.
std::shared_ptr<const ArchiveBytes> content_of(const TarPart& part, std::vector<std::byte> bytes) {
  if (is_stretch(part))
    return std::make_shared<const ArchiveBytes>(part.shown, part.content, part.begin, std::move(bytes));
  std::vector<std::byte> content = read_decompressed(MemoryBytes(part.shown, part.modified, std::move(bytes)));
  if (content.size() != part.content) throw_changed(part);
  return std::make_shared<const ArchiveBytes>(part.shown, std::move(content));
}

/// Starts to read a part of an archive on a server.
std::shared_ptr<RemoteRange> start_to_read(const TarPart& part, const std::shared_ptr<const RemoteFile>& file,
                                           const std::shared_ptr<DiskCache>& cache, Urgency urgency) {
  return is_stretch(part) ? std::make_shared<RemoteRange>(file, part.name, part.begin, part.bytes(), cache, urgency)
                          : std::make_shared<RemoteRange>(file, part.name, 0, part.file_bytes, cache, urgency);
}

/// Divides an archive into parts of at most kRemotePart bytes, or of one sample.
/// @param whole the archive as one part
/// @param samples in order
std::vector<TarPart> stretches_of(const TarPart& whole, const TarSampleList& samples) {
  std::vector<TarPart> parts;
  samples.for_each([&](const TarSample& sample) {
    const bool has_targets = sample.targets.bytes > 0;
    const std::uint64_t begin =
        has_targets ? std::min(sample.values.offset, sample.targets.offset) : sample.values.offset;
    const std::uint64_t end = std::max(end_of(sample.values), end_of(sample.targets));
    if (end - begin > kMostBytesOfPart)
      throw Error(ErrorCode::limit_reached, "a sample has more than " + std::to_string(kMostBytesOfPart >> 20) + " MB",
                  {.object = place_of(whole.shown, sample.values)});
    if (parts.empty() || end - parts.back().begin > kRemotePart) {
      parts.push_back(whole);
      parts.back().begin = begin;
      parts.back().samples = 0;
    }
    parts.back().end = end;
    ++parts.back().samples;
  });
  return parts;
}

}  // namespace

std::vector<TarPart> TarParts::open(const std::string& name, TarSampleList& samples) {
  TarPart part{.name = name};
  if (is_command(name)) {
    auto content = std::make_shared<const ArchiveBytes>(printable(name, 500), read_command(command_of(name)));
    samples = find_samples(*content);
    part.content = content->size();
    part.is_held = true;
    held_.get({name, 0}, part.content, [&] { return content; });
  } else {
    const bool remote = is_url(name);
    const std::shared_ptr<const ByteSource> file = remote ? open_once(name) : open_bytes(name);
    TarIndex index = index_of_archive(name, file);
    samples = std::move(index.samples);
    part = {name, index.file_bytes, index.modified, index.content, remote || index.is_compressed()};
  }
  if (samples.size() == 0) throw_bad_file(shown_name(name), "the archive contains no .jpg, .jpeg, .png or .npy file");
  part.shown = shown_name(name);
  part.end = part.content;
  part.samples = samples.size();
  return is_stretch(part) ? stretches_of(part, samples) : std::vector{part};
}

std::shared_ptr<const ArchiveBytes> TarParts::get(const TarPart& part) {
  if (!part.is_held) return std::make_shared<const ArchiveBytes>(open_unchanged(part));
  return held_.get({part.name, part.begin}, memory_of(part), [&] { return load(part); });
}

std::shared_ptr<const ArchiveBytes> TarParts::get_for_one(const TarPart& part) {
  return is_stretch(part) ? std::make_shared<const ArchiveBytes>(open_unchanged(part)) : get(part);
}

void TarParts::prefetch(const TarPart& part) {
  if (!is_url(part.name)) return;
  held_.prefetch({part.name, part.begin}, memory_of(part), [&]() -> decltype(held_)::Make {
    return [part, read = start_to_read(part, open_once(part.name), cache_, Urgency::later)] {
      return content_of(part, read->finish());
    };
  });
}

/// Returns an archive on a server. The first call asks the server for its size and its version.
std::shared_ptr<const RemoteFile> TarParts::open_once(const std::string& url) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = remote_.find(url); found != remote_.end()) return found->second;
  }
  auto opened = open_remote(url);
  const std::lock_guard lock(mutex_);
  return remote_.emplace(url, std::move(opened)).first->second;
}

std::shared_ptr<const ByteSource> TarParts::open_unchanged(const TarPart& part) {
  if (is_url(part.name)) return open_once(part.name);
  auto file = open_bytes(part.name);
  if (file->size() != part.file_bytes || file->modified() != part.modified) throw_changed(part);
  return file;
}

std::shared_ptr<const ArchiveBytes> TarParts::load(const TarPart& part) {
  if (is_url(part.name))
    return content_of(part, start_to_read(part, open_once(part.name), cache_, Urgency::now)->finish());
  std::vector<std::byte> content =
      is_command(part.name) ? read_command(command_of(part.name)) : read_decompressed(*open_unchanged(part));
  if (content.size() != part.content) throw_changed(part);
  return std::make_shared<const ArchiveBytes>(part.shown, std::move(content));
}

}  // namespace troupe

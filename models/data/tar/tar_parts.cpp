#include "models/data/tar/tar_parts.hpp"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

bool is_command(const std::string& name) { return name.starts_with(kPipe); }

std::string command_of(const std::string& name) {
  const char* const allowed = std::getenv(kAllowPipe);
  if (allowed == nullptr || std::string_view(allowed) != "1")
    throw_invalid("tar:" + printable(name, 200) + " was not run: the environment variable " + kAllowPipe +
                  " is not 1 for this process (1 allows data names to run any command)");
  return name.substr(std::string_view(kPipe).size());
}

[[noreturn]] void throw_changed(const TarPart& part) {
  throw_bad_file(printable(part.name, 500), "the archive has changed since the run began");
}

InputFile open_unchanged(const TarPart& part) {
  InputFile file(part.name);
  if (file.size() != part.file_bytes || file.modified() != part.modified) throw_changed(part);
  return file;
}

ArchiveBytes load_content(const TarPart& part) {
  std::vector<std::byte> content =
      is_command(part.name) ? read_command(command_of(part.name)) : read_decompressed(open_unchanged(part));
  if (content.size() != part.content) throw_changed(part);
  return {printable(part.name, 500), std::move(content)};
}

}  // namespace

TarPart TarParts::open(const std::string& name, std::vector<TarSample>& samples) {
  TarPart part{.name = name};
  if (is_command(name)) {
    auto content = std::make_shared<const ArchiveBytes>(printable(name, 500), read_command(command_of(name)));
    samples = find_samples(*content);
    part.content = content->size();
    part.is_held = true;
    held_.get(part.name, part.content, [&] { return content; });
  } else {
    const InputFile file(name);
    TarIndex index = index_of_archive(file);
    samples = std::move(index.samples);
    part = {name, index.file_bytes, index.modified, index.content, is_compressed(file)};
  }
  if (samples.empty()) throw_bad_file(printable(name, 500), "the archive contains no .jpg, .jpeg, .png or .npy file");
  return part;
}

std::shared_ptr<const ArchiveBytes> TarParts::get(const TarPart& part) {
  if (!part.is_held) return std::make_shared<const ArchiveBytes>(open_unchanged(part));
  return held_.get(part.name, part.content, [&] { return std::make_shared<const ArchiveBytes>(load_content(part)); });
}

}  // namespace troupe

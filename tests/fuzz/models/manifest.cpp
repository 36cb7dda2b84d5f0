#include "models/files/checkpoint/manifest.hpp"

#include <nlohmann/json.hpp>

#include "fuzz/support.hpp"
#include "runtime/hash.hpp"

using namespace troupe;

namespace {

/// Checks that a manifest is read as it was written.
void read(const std::string& text) {
  fuzz::may_refuse(
      [&] {
        const CheckpointManifest manifest = manifest_from_json("manifest.json", text);
        const std::string written = to_json(manifest);
        fuzz::expect(manifest_from_json("manifest.json", written) == manifest,
                     "the manifest is read as it was written");
        fuzz::expect(manifest.updates <= manifest.step, "no more updates than steps");
      },
      {ErrorCode::bad_file});
}

/// Returns the manifest with a correct checksum, which random bytes would never have, or "" if the text is no object.
std::string with_checksum(const std::string& text) {
  nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_object()) return "";
  parsed.erase("checksum");
  const std::string said = parsed.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  parsed["checksum"] = hex(checksum(std::as_bytes(std::span(said))));
  return parsed.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(with_checksum(text));
  return 0;
}

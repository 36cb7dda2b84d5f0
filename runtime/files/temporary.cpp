#include "runtime/files/temporary.hpp"

#include <cstdlib>
#include <system_error>

#include "troupe/error.hpp"

namespace troupe {

std::filesystem::path temporary_folder() {
  const char* const given = std::getenv("TMPDIR");
  std::filesystem::path folder = given == nullptr || *given == '\0' ? "/tmp" : given;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw Error(ErrorCode::system, "TMPDIR, for temporary files, is not a folder", {.object = folder.string()});
  return folder;
}

}  // namespace troupe

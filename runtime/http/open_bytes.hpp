#pragma once

#include <memory>
#include <string>

#include "runtime/files/byte_source.hpp"
#include "runtime/http/remote_file.hpp"

namespace troupe {

/// Opens a file or, if the name is a URL (http, https, s3), an object on a server.
/// @throws Error as InputFile and RemoteFile; invalid_argument for a URL that is not valid
std::shared_ptr<const ByteSource> open_bytes(const std::string& name);

/// Opens an object on a server.
/// @throws Error as RemoteFile; invalid_argument for a URL that is not valid
std::shared_ptr<const RemoteFile> open_remote(const std::string& url);

}  // namespace troupe

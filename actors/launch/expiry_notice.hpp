#pragma once

#include <string>

namespace troupe {

/// Says so in the log where the certificate in a folder, or its authority's, ends soon. @throws Error
void note_expiry(const std::string& certs);

}  // namespace troupe

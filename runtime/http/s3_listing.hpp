#pragma once

#include <string>
#include <vector>

namespace troupe {

/// One answer of a server that lists the objects of a bucket.
struct S3Listing {
  std::vector<std::string> keys;
  std::string next = {};  ///< identifies the next answer; empty if this is the last one
};

/// Parses the XML text of a ListObjectsV2 answer.
/// @param bucket the URL for error messages
/// @throws Error bad_file if it is not such an answer
S3Listing s3_listing(const std::string& bucket, const std::string& xml);

}  // namespace troupe

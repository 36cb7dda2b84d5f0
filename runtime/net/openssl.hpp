#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

// This file declares owning pointers to objects of OpenSSL, and functions that return its texts.
namespace troupe::net {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using CertificatePtr = std::unique_ptr<X509, Free<&X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free<&EVP_PKEY_free>>;
using ListPtr = std::unique_ptr<X509_CRL, Free<&X509_CRL_free>>;
using BioPtr = std::unique_ptr<BIO, Free<&BIO_free_all>>;
using StorePtr = std::unique_ptr<X509_STORE, Free<&X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Free<&X509_STORE_CTX_free>>;

/// Returns the text of the first error in this thread's error queue, and empties the queue.
std::string openssl_error();

/// Returns the text that was written to a memory BIO (an in-memory stream of OpenSSL).
std::string text_of(BIO* bio);

/// Returns the common name of the certificate's subject; empty if the subject has none, or more than one.
std::string common_name(const X509* certificate);

}  // namespace troupe::net

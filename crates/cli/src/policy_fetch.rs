//! Downloading published networks.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};
use centipawn_policy::Published;
use sha2::{Digest as _, Sha256};
use ureq::Agent;

use crate::output::Output;

/// Where a network is now, and whether it had to be fetched.
pub(crate) struct Fetched {
    pub(crate) path: PathBuf,
    pub(crate) is_new: bool,
}

/// Gets a network into a folder, unless it is there already. Its file is checked before anybody sees it.
pub(crate) fn fetch(published: &Published, base: &str, folder: &Path) -> Result<Fetched> {
    let path = folder.join(published.file_name());
    if let Ok(bytes) = fs::read(&path)
        && sha256(&bytes) == published.sha256
    {
        return Ok(Fetched { path, is_new: false });
    }
    let url = format!("{}/{}", base.trim_end_matches('/'), published.file_name());
    let bytes = download(&url, published.bytes)?;
    let found = sha256(&bytes);
    if found != published.sha256 {
        bail!(
            "what {url} gave is not {}: its SHA-256 is {found} ({} bytes), published is {} ({} bytes); nothing was kept. Does \
             something between you and the server change what you download?",
            published.name,
            bytes.len(),
            published.sha256,
            published.bytes
        );
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut file = Output::create(&path)?;
    file.write_all(&bytes).with_context(|| format!("cannot write {}", path.display()))?;
    file.finish()?;
    Ok(Fetched { path, is_new: true })
}

fn download(url: &str, size: u64) -> Result<Vec<u8>> {
    // Proxies are those of the environment: HTTPS_PROXY, ALL_PROXY, NO_PROXY.
    let config = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_global(Some(Duration::from_secs(300)))
        .user_agent(concat!("centipawn/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = Agent::new_with_config(config);
    let response = agent.get(url).call().map_err(|error| explained(url, &error))?;
    // Too long an answer is as wrong as another one, and need not be read to its end.
    let mut bytes = Vec::new();
    let mut body = response.into_body().into_reader().take(size + 1);
    body.read_to_end(&mut bytes).with_context(|| format!("the download of {url} broke off"))?;
    Ok(bytes)
}

/// What went wrong, and what to do about it.
fn explained(url: &str, error: &ureq::Error) -> anyhow::Error {
    let proxy = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"];
    let proxy = proxy.iter().find_map(|name| Some((name, std::env::var(name).ok().filter(|value| !value.is_empty())?)));
    let advice = match (error, proxy) {
        (ureq::Error::StatusCode(404), _) => "the file is not there; was it moved?".to_owned(),
        (ureq::Error::StatusCode(407), Some((name, _))) => {
            format!("the proxy of ${name} wants a user name and password")
        }
        (ureq::Error::StatusCode(_), _) => "try again later".to_owned(),
        (_, Some((name, proxy))) => {
            format!("${name} says to go through the proxy {}: is that right?", without_password(&proxy))
        }
        (_, None) => {
            "is there a network? Behind a proxy, set HTTPS_PROXY; else download the file elsewhere and give its path \
                      to --policy"
                .to_owned()
        }
    };
    anyhow!("cannot download {url}: {error}; {advice}")
}

fn without_password(proxy: &str) -> &str {
    proxy.rsplit_once('@').map_or(proxy, |(_, host)| host)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(without_password("http://me:secret@proxy:3128"), "proxy:3128");
    }
}

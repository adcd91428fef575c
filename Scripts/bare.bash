# Sourced by scripts that run something in a bare system of a release of Debian or Ubuntu; needs root, for debootstrap.
# Debian's releases come from this machine's mirror, Ubuntu's from debootstrap's default mirror.

# Makes a bare system, to be copied for each run: bare RELEASE FOLDER
bare() {
    local release=$1 folder=$2 mirror script=()
    case $release in
        bookworm | trixie | forky | sid)
            # The mirror of this machine.
            mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
            ;;
        *)
            # A release that debootstrap does not know is made like its predecessors.
            script=(/usr/share/debootstrap/scripts/gutsy)
            mirror=$(awk '$1 == "default_mirror" && /archive/ { print $2; exit }' "${script[0]}")
            ;;
    esac
    # Ubuntu keeps some of the libraries in another component.
    debootstrap --variant=minbase ${script:+--components=main,universe} "$release" "$folder.new" "$mirror" "${script[@]}" \
        && mv "$folder.new" "$folder"
}

# Copies a bare system of a release to a folder, with the name servers of this machine: copy_of RELEASE FOLDER
copy_of() {
    local release=$1 root=$2 base=.build-systems/$1
    mkdir -p .build-systems
    [ -d "$base" ] || { rm -rf "$base.new" && bare "$release" "$base"; } || return 1
    cp -a "$base" "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}
